// Reports what is wrong with fetched sources and hosts in a configuration: all problems together, worded like those of file sources.
import { nearestName } from '../../../../platform/base/nearest-name.ts';
import { type SettingsProblem, written } from '../../../../platform/settings/settings-error.ts';
import { errorsOf } from '../../../../schemas/validator.ts';
import type { RawTable } from '../../../define/raw-table.ts';
import { isRecord, problemsOfShape, problemsOfSources } from '../../files/section.ts';
import { placesIn, secretsIn } from '../http/template.ts';
import { type ChainSection, missingOf } from '../evm/chain-section.ts';
import { secondsOf } from './live-source.ts';
import { HostSection, LiveSection } from './section.ts';

type Named = Readonly<Record<string, unknown>>;

/** Facts of a recording that a field may take, in addition to `param.x` and `header.x`. */
export const RECORDING_FACTS = ['as_of', 'fetched_at', 'window_from', 'window_to'] as const;
const RECORDING_FACT = new RegExp(
  `^(${RECORDING_FACTS.join('|')}|param\\.[a-z][a-z0-9_]*|header\\.[a-z0-9-]+)$`,
);

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

/** `others` are the ids that `recordings_of` may name in addition to those of the section itself. */
export function problemsOfLiveSources(
  section: { readonly [id: string]: unknown },
  rawTables: readonly RawTable[],
  others: readonly string[] = [],
): SettingsProblem[] {
  const fetching = [
    ...others,
    ...Object.entries(section).flatMap(([id, one]) => (isRecord(one) && 'request' in one ? [id] : [])),
  ];
  return Object.entries(section).flatMap(([id, source]) =>
    isRecord(source) ? problemsOfSource(id, source, { rawTables, fetching }) : [],
  );
}

function problemsOfSource(
  id: string,
  source: Named,
  { rawTables, fetching }: { rawTables: readonly RawTable[]; fetching: readonly string[] },
): SettingsProblem[] {
  const where = `sources.${id}`;
  const shape = problemsOfShape(where, source, LiveSection);
  return [
    ...shape,
    ...problemsOfOrigin(where, source, fetching),
    ...(shape.length === 0 ? [...problemsOfRequest(where, source), ...problemsOfWindow(where, source)] : []),
    ...problemsOfRecordingFacts(where, source),
    ...problemsOfMapping(id, source, rawTables),
  ];
}

function problemsOfOrigin(where: string, source: Named, fetching: readonly string[]): SettingsProblem[] {
  const { request, recordings_of: of } = source;
  if (request !== undefined && of !== undefined)
    return [problem(where, 'request and recordings_of', 'one of them')];
  if (typeof of !== 'string' || fetching.includes(of)) return [];
  return [
    problem(
      `${where}.recordings_of`,
      written(of),
      'the id of a source with a request',
      nearestName(of, fetching),
    ),
  ];
}

/** Every placeholder must have a value, and a pager without a placeholder would fetch the first page again and again. */
function problemsOfRequest(where: string, source: Named): SettingsProblem[] {
  const { request, each, pager } = source as Named & { each?: readonly Named[]; pager?: Named };
  if (request === undefined) return [];
  const kind = String(pager?.['kind'] ?? 'none');
  const known = [...WINDOW_PLACES, ...(PAGER_PLACES[kind] ?? []), ...Object.keys(each?.[0] ?? {})];
  const used = placesIn(withoutGraphql(request));
  const unknown = used.filter((name) => !known.includes(name));
  const paging = PAGER_PLACES[kind] ?? [];
  const needsRecords = paging.length > 0 && !paging.some((name) => used.includes(name));
  const bodies = ['json', 'graphql', 'json_rpc', 'chain', 'near', 'git'].filter(
    (name) => name in (request as Named),
  );
  return [
    ...unknown.map((name) =>
      problem(
        `${where}.request`,
        `{${name}}`,
        `one of ${known.map((one) => `{${one}}`).join(', ')}`,
        nearestName(name, known),
      ),
    ),
    ...(needsRecords
      ? [
          problem(
            `${where}.request`,
            `no {${paging[0]}}`,
            `this placeholder, which the pager ${kind} fills in`,
          ),
        ]
      : []),
    ...(bodies.length > 1 ? [problem(`${where}.request`, bodies.join(' and '), 'one body')] : []),
    ...problemsOfEach(where, each ?? []),
    ...problemsOfChain(where, request as Named),
    ...problemsOfUnsent(where, request as Named),
  ];
}

function problemsOfWindow(where: string, source: Named): SettingsProblem[] {
  const { window } = source as { readonly window?: { readonly history: string; readonly lag?: string } };
  if (window?.lag === undefined || secondsOf(window.lag) < secondsOf(window.history)) return [];
  return [problem(`${where}.window.lag`, window.lag, `less than the history, ${window.history}`)];
}

function problemsOfChain(where: string, { chain }: Named): SettingsProblem[] {
  if (chain === undefined) return [];
  const missing = missingOf(chain as ChainSection);
  return missing === null ? [] : [problem(`${where}.request.chain`, written(chain), missing)];
}

/** What a request of another protocol than HTTP does not send: members that would be ignored, and secrets that git would show. */
function problemsOfUnsent(where: string, { url, ...request }: Named): SettingsProblem[] {
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

function problemsOfEach(where: string, each: readonly Named[]): SettingsProblem[] {
  const names = Object.keys(each[0] ?? {})
    .sort()
    .join(', ');
  const odd = each.findIndex((one) => Object.keys(one).sort().join(', ') !== names);
  const keys = each.map((one) => Object.values(one).join(' '));
  const twice = keys.findIndex((key, index) => keys.indexOf(key) !== index);
  return [
    ...(odd === -1 ? [] : [problem(`${where}.each[${odd}]`, written(each[odd]), `the values ${names}`)]),
    ...(twice === -1 ? [] : [problem(`${where}.each[${twice}]`, written(each[twice]), 'each object once')]),
  ];
}

/** The braces of a GraphQL query are not placeholders; its variables may contain some. */
const withoutGraphql = (request: unknown): unknown => {
  const { graphql, ...rest } = request as Named & { graphql?: Named };
  return graphql === undefined ? rest : { ...rest, variables: graphql['variables'] };
};

function problemsOfRecordingFacts(where: string, { fields, each }: Named): SettingsProblem[] {
  if (!isRecord(fields)) return [];
  const params = Object.keys((Array.isArray(each) && isRecord(each[0]) ? each[0] : {}) as Named);
  return Object.entries(fields).flatMap(([field, mapping]) => {
    if (!isRecord(mapping) || !('recording' in mapping)) return [];
    const fact = mapping['recording'];
    if (typeof fact === 'string' && RECORDING_FACT.test(fact)) return [];
    const expected = `one of ${RECORDING_FACTS.join(', ')}, header.NAME, ${params.map((name) => `param.${name}`).join(', ') || 'param.NAME'}`;
    return [problem(`${where}.fields.${field}.recording`, written(fact), expected)];
  });
}

/** Checks the mapping like that of a file, with a constant in place of each fact of the recording. */
function problemsOfMapping(id: string, source: Named, rawTables: readonly RawTable[]): SettingsProblem[] {
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
