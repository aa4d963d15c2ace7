// Reports what is wrong with fetched sources and hosts in a configuration: all problems together, worded like those of file sources.
import { nearestName } from '../../../../platform/base/nearest-name.ts';
import { type SettingsProblem, written } from '../../../../platform/settings/settings-error.ts';
import { errorsOf } from '../../../../schemas/validator.ts';
import type { RawTable } from '../../../define/raw-table.ts';
import { isRecord, problemsOfShape, problemsOfSources } from '../../files/section.ts';
import { placesIn, secretsIn, strangeSecretsIn } from '../http/template.ts';
import { type ChainSection, missingOf, unusedIn } from '../evm/chain-section.ts';
import { secondsOf } from './live-source.ts';
import { KEPT_HEADERS } from './recording.ts';
import { HostSection, LiveSection } from './section.ts';

type Members = Readonly<Record<string, unknown>>;
/** Sources with a request, by id. */
type FetchSections = Readonly<Record<string, Members>>;

/** Facts of a recording that a field may take, in addition to `param.x` and `header.x`. */
export const RECORDING_FACTS = ['as_of', 'fetched_at', 'window_from', 'window_to'] as const;
const HEADER_FACTS = KEPT_HEADERS.map((name) => `header.${name}`);
const VALUE_NAME = /^[a-z][a-z0-9_]*$/;

/** Placeholders that every request may use. */
const WINDOW_PLACES = ['from', 'to'].flatMap((end) =>
  ['s', 'ms', 'iso', 'day'].map((form) => `window_${end}_${form}`),
);
const PAGER_PLACES: { readonly [kind: string]: readonly string[] } = {
  page: ['page'],
  offset: ['offset', 'limit'],
  cursor: ['cursor'],
  keyset: ['key'],
};

export const isLiveSection = (section: unknown): boolean =>
  isRecord(section) && ('request' in section || 'recordings_of' in section);

const problem = (where: string, given: string, expected: string, closest: string | null = null) => ({
  where,
  given,
  expected,
  closest,
});

export function problemsOfLiveSources(
  section: { readonly [id: string]: unknown },
  rawTables: readonly RawTable[],
): SettingsProblem[] {
  const fetching = Object.fromEntries(
    Object.entries(section).flatMap(([id, one]) => (isRecord(one) && 'request' in one ? [[id, one]] : [])),
  );
  return Object.entries(section).flatMap(([id, source]) =>
    isRecord(source) ? problemsOfSource(id, source, { rawTables, fetching }) : [],
  );
}

function problemsOfSource(
  id: string,
  source: Members,
  { rawTables, fetching }: { rawTables: readonly RawTable[]; fetching: FetchSections },
): SettingsProblem[] {
  const where = `sources.${id}`;
  const shape = problemsOfShape(where, source, LiveSection);
  return [
    ...shape,
    ...problemsOfOrigin(where, source, fetching),
    ...(shape.length === 0 ? [...problemsOfRequest(where, source), ...problemsOfWindow(where, source)] : []),
    ...problemsOfRecordingFacts(where, source, fetching),
    ...problemsOfMapping(id, source, rawTables),
  ];
}

function problemsOfOrigin(where: string, source: Members, fetching: FetchSections): SettingsProblem[] {
  const { request, recordings_of: of } = source;
  if (request !== undefined && of !== undefined)
    return [problem(where, 'request and recordings_of', 'one of them')];
  if (typeof of !== 'string' || Object.hasOwn(fetching, of)) return [];
  return [
    problem(
      `${where}.recordings_of`,
      written(of),
      'the id of a source with a request',
      nearestName(of, Object.keys(fetching)),
    ),
  ];
}

function problemsOfRequest(where: string, source: Members): SettingsProblem[] {
  const { request, each } = source as Members & { each?: readonly Members[] };
  if (request === undefined) return [];
  const bodies = ['json', 'graphql', 'json_rpc', 'chain', 'near', 'git'].filter(
    (name) => name in (request as Members),
  );
  return [
    ...problemsOfPlaceholders(`${where}.request`, source),
    ...(bodies.length > 1 ? [problem(`${where}.request`, bodies.join(' and '), 'one body')] : []),
    ...problemsOfEach(where, each ?? [], placeholdersOf(source)),
    ...problemsOfChain(where, request as Members),
    ...problemsOfUnsent(where, request as Members),
  ];
}

const pagerOf = ({ pager }: Members): string =>
  String((isRecord(pager) ? pager['kind'] : undefined) ?? 'none');

/** Placeholders that windows and the pager fill in. */
const placeholdersOf = (source: Members): readonly string[] => [
  ...WINDOW_PLACES,
  ...(PAGER_PLACES[pagerOf(source)] ?? []),
];

/** Every placeholder must have a value, and a pager without a placeholder would fetch the first page again and again. */
function problemsOfPlaceholders(where: string, source: Members): SettingsProblem[] {
  const { request } = source;
  const kind = pagerOf(source);
  const known = [...placeholdersOf(source), ...valuesOf(source)];
  const used = placesIn(withoutGraphql(request));
  const listed = known.map((one) => `{${one}}`).join(', ');
  const paging = PAGER_PLACES[kind] ?? [];
  const isStuck = paging.length > 0 && !paging.some((name) => used.includes(name));
  return [
    ...used
      .filter((name) => !known.includes(name))
      .map((name) => problem(where, `{${name}}`, `one of ${listed}`, nearestName(name, known))),
    ...(isStuck
      ? [problem(where, `no {${paging[0]}}`, `this placeholder, which the pager ${kind} fills in`)]
      : []),
    ...strangeSecretsIn(request).map((text) =>
      problem(
        where,
        text,
        'the name of an environment variable in capitals, such as $MY_KEY in braces; a value of `each` has no $',
      ),
    ),
  ];
}

function problemsOfWindow(where: string, source: Members): SettingsProblem[] {
  const { window } = source as { readonly window?: { readonly history: string; readonly lag?: string } };
  if (window?.lag === undefined || secondsOf(window.lag) < secondsOf(window.history)) return [];
  return [problem(`${where}.window.lag`, window.lag, `less than the history, ${window.history}`)];
}

function problemsOfChain(where: string, { chain }: Members): SettingsProblem[] {
  if (chain === undefined) return [];
  const section = chain as ChainSection;
  const at = `${where}.request.chain`;
  const missing = missingOf(section);
  return [
    ...(missing === null ? [] : [problem(at, written(chain), missing)]),
    ...unusedIn(section).map((name) =>
      problem(
        `${at}.${name}`,
        written((chain as Members)[name]),
        name === 'since'
          ? 'vault_factories next to it: it is the first block with their logs'
          : `no ${name}: the reading ${section.read} does not use it`,
      ),
    ),
  ];
}

/** What a request of another protocol than HTTP does not send: members that would be ignored, and secrets that git would show. */
function problemsOfUnsent(where: string, { url, ...request }: Members): SettingsProblem[] {
  const kind = ['chain', 'near', 'git'].find((name) => name in request);
  if (kind === undefined) return [];
  const unsent = ['query', ...(kind === 'git' ? ['headers'] : [])].filter((name) => name in request);
  const secrets = kind === 'git' ? secretsIn(url) : [];
  return [
    ...unsent.map((name) =>
      problem(
        `${where}.request.${name}`,
        written(request[name]),
        `no ${name}: a request with ${kind} sends none`,
      ),
    ),
    ...secrets.map((name) =>
      problem(
        `${where}.request.url`,
        `$\{${name}}`,
        'an address without a secret: git shows its addresses in the list of processes and keeps them in its copy',
      ),
    ),
  ];
}

/** Names of the values of `each`. */
const valuesOf = ({ each }: Members): readonly string[] =>
  Array.isArray(each) && isRecord(each[0]) ? Object.keys(each[0]) : [];

/** `own`: placeholders that windows and the pager fill in. */
function problemsOfEach(where: string, each: readonly Members[], own: readonly string[]): SettingsProblem[] {
  const given = Object.keys(each[0] ?? {});
  const strange = given.filter((name) => !VALUE_NAME.test(name));
  const taken = given.filter((name) => own.includes(name));
  const names = Object.keys(each[0] ?? {})
    .sort()
    .join(', ');
  const odd = each.findIndex((one) => Object.keys(one).sort().join(', ') !== names);
  const keys = each.map((one) => Object.values(one).join(' '));
  const twice = keys.findIndex((key, index) => keys.indexOf(key) !== index);
  return [
    ...strange.map((name) =>
      problem(
        `${where}.each`,
        `the name ${JSON.stringify(name)}`,
        'a name of a-z, 0-9 and _, such as my_value',
      ),
    ),
    ...taken.map((name) =>
      problem(`${where}.each`, `the name ${name}`, `another name: {${name}} is filled in for every request`),
    ),
    ...(odd === -1 ? [] : [problem(`${where}.each[${odd}]`, written(each[odd]), `the values ${names}`)]),
    ...(twice === -1 ? [] : [problem(`${where}.each[${twice}]`, written(each[twice]), 'each object once')]),
  ];
}

/** The braces of a GraphQL query are not placeholders; its variables may contain some. */
const withoutGraphql = (request: unknown): unknown => {
  const { graphql, ...rest } = request as Members & { graphql?: Members };
  return graphql === undefined ? rest : { ...rest, variables: graphql['variables'] };
};

/** A fact that no recording of the source has would be an empty text in every row. */
function problemsOfRecordingFacts(
  where: string,
  source: Members,
  fetching: FetchSections,
): SettingsProblem[] {
  const { fields, recordings_of: of } = source;
  if (!isRecord(fields)) return [];
  const origin = typeof of === 'string' && Object.hasOwn(fetching, of) ? fetching[of] : source;
  const params = valuesOf(origin ?? source).map((name) => `param.${name}`);
  const known = [...RECORDING_FACTS, ...HEADER_FACTS, ...params];
  return Object.entries(fields).flatMap(([field, mapping]) => {
    if (!isRecord(mapping) || !('recording' in mapping)) return [];
    const fact = mapping['recording'];
    if (typeof fact === 'string' && known.includes(fact)) return [];
    const without = params.length === 0 ? '; it has no param, because it has no `each`' : '';
    const expected = `one of ${known.join(', ')}${without}`;
    return [
      problem(
        `${where}.fields.${field}.recording`,
        written(fact),
        expected,
        nearestName(String(fact), known),
      ),
    ];
  });
}

/** Checks the mapping like that of a file, with a constant in place of each fact of the recording. */
function problemsOfMapping(id: string, source: Members, rawTables: readonly RawTable[]): SettingsProblem[] {
  const { table, name, fields, where, records, format = 'json' } = source;
  const plain = isRecord(fields)
    ? Object.fromEntries(Object.entries(fields).map(([field, mapping]) => [field, withConstant(mapping)]))
    : fields;
  const file = {
    table,
    path: 'recording',
    format,
    name,
    fields: plain,
    ...(where === undefined ? {} : { where }),
  };
  const problems = problemsOfSources(
    { [id]: { ...file, ...(records === undefined ? {} : { records }) } },
    rawTables,
  );
  const own = new Set(
    problemsOfShape(`sources.${id}`, source, LiveSection).map(({ where: location }) => location),
  );
  return problems.filter((one) => !own.has(one.where));
}

function withConstant(mapping: unknown): unknown {
  if (!isRecord(mapping) || !('recording' in mapping)) return mapping;
  const { recording: _, ...rest } = mapping;
  return { ...rest, value: '0' };
}

/** All problems of the section `hosts`. */
export function problemsOfHosts(section: unknown): SettingsProblem[] {
  if (section === undefined) return [];
  if (!isRecord(section))
    return [problem('hosts', written(section), 'an object that maps host names to budgets')];
  return Object.entries(section).flatMap(([host, given]) => {
    const where = `hosts.${host}`;
    const named = URL.canParse(`https://${host}`) && new URL(`https://${host}`).host === host;
    const wrongName = named ? [] : [problem(where, written(host), 'a host name as in a url, in lower case')];
    if (!isRecord(given)) return [...wrongName, problem(where, written(given), 'an object')];
    const shape = problemsOfShape(where, given, HostSection);
    return errorsOf(HostSection, given).length > 0 && shape.length === 0
      ? [...wrongName, problem(where, written(given), 'the budget of a host')]
      : [...wrongName, ...shape];
  });
}
