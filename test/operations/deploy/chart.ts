// Whether the chart in deploy/helm renders what Kubernetes accepts, in both layouts, and refuses what cannot work. Helm is built with Go where
// it is not installed; the schemas of Kubernetes come with a package of PyPI.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { ContainerTools } from './container-tools.ts';

const HELM_MODULE = 'helm.sh/helm/v3/cmd/helm@v3.22.0';
const KUBERNETES_VERSIONS = ['1.27', '1.37'];
const DISTRIBUTED = {
  layout: 'distributed',
  jobs: { replicas: 2 },
  server: { replicas: 3 },
  shared: {
    snapshotStore: 's3://risk/versions',
    dataStore: 's3://risk/data',
    s3Endpoint: 'https://objects.example',
    opsStore: 'postgres://risk@db.example/risk',
    leaseStore: 'postgres://risk_jobs@db.example/risk',
    keysSecret: 'risk-keys',
  },
  backup: { to: 's3://backups/risk' },
  ingress: { enabled: true, tlsSecret: 'risk-tls' },
  secretName: 'risk-secrets',
};
/** Values, and what the refusal says. */
const REFUSED: readonly (readonly [string, RegExp])[] = [
  ['layout=distributed', /needs shared\.snapshotStore/],
  ['server.replicas=2', /set layout to distributed/],
  ['service.port=0', /minimum/],
  ['servce.port=80', /servce/],
  ['shared.opsStore=postgres://risk:password@db.example/risk', /opsStore/],
];

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly template?: { readonly spec: { readonly containers: readonly Container[] } } };
}

interface Container {
  readonly name: string;
  readonly securityContext?: { readonly readOnlyRootFilesystem?: boolean };
}

export interface ChartChecks {
  readonly check: (name: string, holds: boolean, detail?: string) => void;
  readonly tools: ContainerTools;
  readonly project: string;
  readonly folder: string;
  /** The bin folder of a Python environment that may be added to. */
  readonly python: string;
}

/** Checks the chart in deploy/helm. */
export function checkChart({ check, tools, project, folder, python }: ChartChecks): void {
  const helm = helmProgram(tools);
  const chart = join(project, 'deploy/helm');
  const values = join(folder, 'distributed.json');
  writeFileSync(values, JSON.stringify(DISTRIBUTED));
  const rendered = (...args: readonly string[]) =>
    tools.attempt(helm, ['template', 'risk', chart, '--kube-version', '1.30.0', ...args]);
  check('helm lint has nothing to say', tools.attempt(helm, ['lint', '--strict', chart]).code === 0);
  tools.run(join(python, 'pip'), ['install', '-q', 'kubernetes-validate']);
  for (const [layout, ...args] of [['single'], ['distributed', '-f', values]] as const) {
    const { code, output } = rendered(...args);
    check(`the chart renders in the layout ${layout}`, code === 0, output);
    const file = join(folder, `${layout}.yaml`);
    writeFileSync(file, output);
    for (const version of KUBERNETES_VERSIONS) {
      const valid = ['-m', 'kubernetes_validate', '--strict', '--quiet', '-k', version, file];
      const result = tools.attempt(join(python, 'python'), valid);
      check(`Kubernetes ${version} accepts the layout ${layout}`, result.code === 0, result.output);
    }
    const containers = parseAllDocuments(output)
      .map((document) => document.toJS() as Manifest)
      .flatMap(({ spec }) => spec?.template?.spec.containers ?? []);
    const open = containers.filter(({ securityContext }) => securityContext?.readOnlyRootFilesystem !== true);
    check(
      `every container of the layout ${layout} has a read-only root`,
      containers.length >= 4 && open.length === 0,
      open.map(({ name }) => name).join(),
    );
  }
  for (const [value, reason] of REFUSED) {
    const { code, output } = rendered('--set', value);
    check(`the chart refuses ${value}`, code !== 0 && reason.test(output), output);
  }
}

/** `HELM`, the one of the system, or one that an earlier run or this one builds. */
function helmProgram({ run }: ContainerTools): string {
  const built = join(homedir(), '.cache/helm');
  const found = [process.env['HELM'] ?? 'helm', join(built, 'helm')].find(
    (program) => existsSync(program) || spawnSync(program, ['version']).error === undefined,
  );
  if (found !== undefined) return found;
  mkdirSync(built, { recursive: true });
  run('env', [`GOBIN=${built}`, 'nice', '-n', '15', 'go', 'install', HELM_MODULE]);
  return join(built, 'helm');
}
