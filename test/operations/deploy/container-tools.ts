// Builds images and runs containers without a daemon, in a storage of its own: buildah, podman and runc, as root on Debian. Base images come
// from no registry: they are made of Debian's packages and the Node that this project runs on, under the names that the files in deploy/ use.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TOOLS = ['buildah', 'podman', 'runc', 'mmdebstrap', 'caddy'];
const NODE_IMAGE = 'docker.io/library/node:24-bookworm-slim';
const CADDY_IMAGE = 'docker.io/library/caddy:2';
/** Packages of the base, and those that the image definition asks for, so that its layer is small. */
const PACKAGES = 'ca-certificates,git,tini';
const CA_BUNDLE = '/etc/ssl/certs/ca-certificates.crt';
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

export interface ContainerTools {
  /** Standard output of a program that must succeed. */
  readonly run: (program: string, args: readonly string[], cwd?: string) => string;
  /** Exit code and output of one that may fail. */
  readonly attempt: (
    program: string,
    args: readonly string[],
  ) => { readonly code: number; readonly output: string };
}

/** What is missing to build and start an image here; empty if nothing is. */
export function missingTools(): readonly string[] {
  const missing = TOOLS.filter((name) => spawnSync(name, ['--version']).error !== undefined);
  return process.getuid?.() === 0 ? missing : ['root', ...missing];
}

/** Tools whose images, containers and volumes are in a folder, which may be deleted afterwards. */
export function containerTools(folder: string): ContainerTools {
  const storage = join(folder, 'storage.conf');
  const containers = join(folder, 'containers.conf');
  writeFileSync(
    storage,
    `[storage]\ndriver = "vfs"\nrunroot = "${folder}/run"\ngraphroot = "${folder}/graph"\n`,
  );
  // Limits of files are those of this process: a sandbox may not raise them.
  writeFileSync(
    containers,
    `[containers]\ndefault_ulimits = []\n[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n`,
  );
  const env = {
    ...process.env,
    STORAGE_DRIVER: 'vfs',
    BUILDAH_ISOLATION: 'chroot',
    CONTAINERS_STORAGE_CONF: storage,
    CONTAINERS_CONF: containers,
  };
  const options = { env, encoding: 'utf8', maxBuffer: MAX_OUTPUT_BYTES } as const;
  return {
    run: (program, args, cwd) =>
      execFileSync(program, args, { ...options, cwd, stdio: ['ignore', 'pipe', 'pipe'] }),
    attempt(program, args) {
      const { status, stdout, stderr } = spawnSync(program, args, options);
      return { code: status ?? -1, output: `${stdout}${stderr}` };
    },
  };
}

/** The base of our image and the image of the proxy. `folder` takes a few hundred megabytes. */
export function buildBaseImages({ run }: ContainerTools, folder: string): void {
  const debian = join(folder, 'base.tar');
  if (!existsSync(debian))
    run('mmdebstrap', ['--variant=minbase', `--include=${PACKAGES}`, 'bookworm', debian]);
  inImage(run, 'scratch', NODE_IMAGE, (root) => {
    run('tar', ['-xf', debian, '-C', root]);
    const local = join(root, 'usr/local');
    copyFileSync(process.execPath, join(local, 'bin/node'));
    addNpm(run, local, folder);
    // The registries here may have certificates of their own.
    copyFileSync(CA_BUNDLE, join(root, CA_BUNDLE));
    mkdirSync(join(local, 'etc'), { recursive: true });
    writeFileSync(join(local, 'etc/npmrc'), `cafile=${CA_BUNDLE}\n`);
  });
  const caddy = run('sh', ['-c', 'command -v caddy']).trim();
  inImage(
    run,
    NODE_IMAGE,
    CADDY_IMAGE,
    (root) => {
      copyFileSync(caddy, join(root, 'usr/bin/caddy'));
      mkdirSync(join(root, 'etc/caddy'), { recursive: true });
    },
    ['--entrypoint', '[]', '--cmd', 'caddy run --config /etc/caddy/Caddyfile --adapter caddyfile'],
  );
}

function addNpm(run: ContainerTools['run'], local: string, folder: string): void {
  const packed = join(folder, 'npm');
  mkdirSync(packed, { recursive: true });
  run('npm', ['pack', 'npm@11', '--silent', '--pack-destination', packed]);
  const [tarball = ''] = readdirSync(packed);
  const home = join(local, 'lib/node_modules/npm');
  mkdirSync(home, { recursive: true });
  run('tar', ['-xzf', join(packed, tarball), '-C', home, '--strip-components=1']);
  for (const name of ['npm', 'npx'])
    run('ln', ['-sf', `../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name)]);
}

/** A new image from another, changed in its root folder. */
function inImage(
  run: ContainerTools['run'],
  from: string,
  name: string,
  change: (root: string) => void,
  config: readonly string[] = [],
): void {
  const container = run('buildah', ['from', '--pull-never', from]).trim();
  change(run('buildah', ['mount', container]).trim());
  run('buildah', ['umount', container]);
  if (config.length > 0) run('buildah', ['config', ...config, container]);
  run('buildah', ['commit', '--rm', '--quiet', container, name]);
}
