// The job hosts and servers of deploy/compose/distributed.yaml as programs of this machine: with the environment that the image and the file
// give them, and in a folder of each service with the files and volumes that it mounts. Trino is left out, so DuckDB computes all models.
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const FILE = fileURLToPath(new URL('../../deploy/compose/distributed.yaml', import.meta.url));
const IMAGE = fileURLToPath(new URL('../../deploy/Containerfile', import.meta.url));
const OF_TRINO = new Set(['PLACEMENT', 'TRINO_URL', 'WAREHOUSE_STATE', 'WAREHOUSE_STORE']);

export interface ProcessSettings {
  readonly flags: readonly string[];
  readonly env: { readonly [name: string]: string };
}

interface Service {
  readonly volumes: readonly string[];
  readonly environment: { readonly [name: string]: string | number };
}

export interface ComposeTools {
  /** Takes a folder for each service. */
  readonly dir: string;
  /** The folder next to the compose file: my.json and the keys. */
  readonly nextTo: string;
  /** What the file refers to, such as passwords. */
  readonly variables: { readonly [name: string]: string };
  /** Where a part listens here, by its address in the file. */
  readonly addresses: { readonly [address: string]: string };
}

/** A path in the container of a service as one of this machine. */
export const pathOf = ({ dir }: Pick<ComposeTools, 'dir'>, service: string, path: string): string =>
  join(dir, service, path);

/** Creates the folder of the service, if it is not there yet, with what it mounts. @throws for a service or variable that the file has not */
export function composeService(tools: ComposeTools, name: string): ProcessSettings {
  const service = (parse(readFileSync(FILE, 'utf8'), { merge: true }).services as Record<string, Service>)[
    name
  ];
  if (service === undefined) throw new Error(`${FILE} has no service ${name}.`);
  for (const volume of service.volumes) mount(tools, name, volume);
  const env = Object.entries({ ...imageEnvironment(), ...service.environment })
    .filter(([variable]) => !OF_TRINO.has(variable))
    .map(([variable, value]) => [variable, settingOf(tools, name, String(value))]);
  return { flags: [], env: Object.fromEntries(env) };
}

/** The variables of the image, such as DATA_DIR. */
function imageEnvironment(): { readonly [name: string]: string } {
  const line = /^ENV (.*)$/m.exec(readFileSync(IMAGE, 'utf8'))?.[1];
  if (line === undefined) throw new Error(`${IMAGE} sets no variables.`);
  return Object.fromEntries([...line.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]));
}

function mount(tools: ComposeTools, name: string, volume: string): void {
  const [source = '', target = ''] = volume.split(':');
  const path = pathOf(tools, name, target);
  if (!source.startsWith('./')) {
    mkdirSync(path, { recursive: true });
    return;
  }
  mkdirSync(dirname(path), { recursive: true });
  copyFileSync(join(tools.nextTo, source), path);
}

function settingOf({ variables, addresses, ...tools }: ComposeTools, name: string, text: string): string {
  if (text.startsWith('/')) return pathOf(tools, name, text);
  const value = text.replace(/\$\{(\w+)[^}]*\}/g, (_, variable: string) => {
    const given = variables[variable];
    if (given === undefined) throw new Error(`${FILE} refers to ${variable}, which is not known here.`);
    return given;
  });
  return Object.entries(addresses).reduce((all, [there, here]) => all.replace(there, here), value);
}
