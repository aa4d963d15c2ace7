// Whether the packages can be installed and used as the documentation says: `npm run test:packages`. Packs the client for npm and builds the
// one for PyPI, checks both with the tools of their ecosystems, and runs the commands of docs/recipes.md from empty folders against a demo
// service. Needs npm's registry, python3 with venv, and PyPI. `--pictures` also renews the pictures of the notebook in docs/images.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  copyFileSync,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const NOTEBOOK = 'what-is-wrong.ipynb';
const MAX_PACKED_BYTES = 50_000;
const MAX_SECONDS = 60;
const MAX_COMMANDS = 3;
/** On a machine with more to do than this, per core, durations say nothing. */
const BUSY_LOAD = 1.5;
const START_MS = 120_000;

const work = mkdtempSync(join(tmpdir(), 'packages-'));
const failures: string[] = [];

function check(name: string, holds: boolean, detail = ''): void {
  console.info(`${holds ? 'ok  ' : 'FAIL'} ${name}${detail === '' ? '' : `: ${detail}`}`);
  if (!holds) failures.push(name);
}

function run(program: string, args: readonly string[], cwd = PROJECT, env = process.env): string {
  return execFileSync(program, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** A check that is a program: it holds if the program ends with 0. */
function passes(name: string, program: string, args: readonly string[], cwd = PROJECT): void {
  try {
    run(program, args, cwd);
    check(name, true);
  } catch (error) {
    check(name, false, textOf(error).slice(-2_000));
  }
}

/** What a program printed before it failed. */
function textOf(error: unknown): string {
  const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
  return `${stdout}${stderr}` || String(error);
}

/** Tools that cannot be installed check nothing, and the run says so. */
function installed(what: string, install: () => void): boolean {
  try {
    install();
    return true;
  } catch (error) {
    console.info(`WARNING: NOT CHECKED with ${what}: not installed. ${textOf(error).slice(-500)}`);
    return false;
  }
}

function packedClient(): string {
  run('npm', ['pack', '--workspace', 'defi-risk-client', '--pack-destination', work]);
  const [name = ''] = readdirSync(work).filter((file) => file.endsWith('.tgz'));
  const tarball = join(work, name);
  const bytes = statSync(tarball).size;
  check(`the package for npm is at most ${MAX_PACKED_BYTES} bytes`, bytes <= MAX_PACKED_BYTES, String(bytes));
  const tools = join(work, 'npm-tools');
  mkdirSync(tools);
  const install = ['install', '--no-audit', '--no-fund', 'publint@0.3.25', '@arethetypeswrong/cli@0.18.5'];
  if (
    installed('publint and @arethetypeswrong/cli', () => void run('npm', [...install, '--prefix', tools]))
  ) {
    const bin = join(tools, 'node_modules/.bin');
    passes('publint has nothing to say', join(bin, 'publint'), ['--strict', tarball]);
    passes('the types resolve', join(bin, 'attw'), ['--profile', 'esm-only', tarball]);
  }
  return tarball;
}

function builtWheel(): string {
  const python = join(work, 'python-tools');
  run('python3', ['-m', 'venv', python]);
  run(join(python, 'bin/pip'), [
    'install',
    '-q',
    '--disable-pip-version-check',
    'build',
    'twine',
    'hatchling',
  ]);
  const built = join(work, 'python');
  // Both from the source; the tools are there, so building needs no environment of its own.
  run(join(python, 'bin/python'), [
    '-m',
    'build',
    '--no-isolation',
    '-o',
    built,
    join(PROJECT, 'packages/python'),
  ]);
  const files = readdirSync(built).map((name) => join(built, name));
  passes('twine accepts the packages for PyPI', join(python, 'bin/twine'), ['check', '--strict', ...files]);
  const wheel = files.find((file) => file.endsWith('.whl'));
  if (wheel === undefined) throw new Error(`No wheel was built in ${built}.`);
  return wheel;
}

/** Starts the demo, and returns its address once it serves data. */
async function demo(days: number): Promise<{ readonly address: string; readonly process: ChildProcess }> {
  const args = [
    'platform/processes/main.ts',
    '--port',
    '0',
    '--metrics-port',
    '0',
    '--demo-days',
    String(days),
  ];
  const log = join(work, 'demo.log');
  const started = spawn(process.execPath, [...args, '--data-dir', join(work, 'var')], {
    cwd: PROJECT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.stderr.pipe(createWriteStream(log));
  const tooLate = setTimeout(() => started.kill(), START_MS);
  for await (const line of createInterface({ input: started.stdout })) {
    const address = /^ *curl (http:\/\/[^ /]+)\/v2\/data-manifest$/.exec(line)?.[1];
    if (address === undefined) continue;
    clearTimeout(tooLate);
    started.stdout.resume();
    return { address, process: started };
  }
  throw new Error(`The demo did not start: ${readFileSync(log, 'utf8').slice(-2_000)}`);
}

interface Surroundings {
  readonly address: string;
  /** The files to install, copied into the folder before anything is run. */
  readonly files: readonly string[];
}

/** The commands of the first block under a heading; a quoted text may span lines. */
function documentedCommands(page: string, heading: string): readonly string[] {
  const section = page.split(`### ${heading}\n`)[1] ?? '';
  const block = /```sh\n([\s\S]*?)```/.exec(section)?.[1] ?? '';
  const commands: string[] = [];
  let open = '';
  for (const line of block.trimEnd().split('\n')) {
    open += open === '' ? line : `\n${line}`;
    if (open.split("'").length % 2 === 0) continue;
    commands.push(open);
    open = '';
  }
  return commands;
}

/** Runs what the documentation says under a heading, from an empty folder. Returns the folder. */
function measured(heading: string, expected: RegExp, { address, files }: Surroundings): string {
  const folder = mkdtempSync(join(work, 'empty-'));
  for (const file of files) copyFileSync(file, join(folder, basename(file)));
  const commands = documentedCommands(readFileSync(join(PROJECT, 'docs/recipes.md'), 'utf8'), heading);
  check(
    `${heading}: at most ${MAX_COMMANDS} commands`,
    commands.length > 0 && commands.length <= MAX_COMMANDS,
  );
  const path = [join(PROJECT, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
  const env = { ...process.env, PATH: path, DEFI_RISK_URL: address };
  const startedMs = Date.now();
  let printed = '';
  try {
    for (const command of commands)
      printed += run('sh', ['-c', command.replaceAll('http://127.0.0.1:8080', address)], folder, env);
  } catch (error) {
    printed += textOf(error);
  }
  const seconds = (Date.now() - startedMs) / 1_000;
  const shows = expected.test(printed + notebookText(join(folder, NOTEBOOK)));
  check(`${heading}: shows data`, shows, shows ? '' : printed.slice(-1_500));
  const isBusy = (loadavg()[0] ?? 0) > BUSY_LOAD * availableParallelism();
  if (seconds > MAX_SECONDS && isBusy)
    console.info(`NOT JUDGED ${heading}: ${seconds.toFixed(1)} s on a busy machine`);
  else check(`${heading}: at most ${MAX_SECONDS} s`, seconds <= MAX_SECONDS, `${seconds.toFixed(1)} s`);
  return folder;
}

interface Notebook {
  readonly cells: readonly {
    readonly outputs?: readonly {
      readonly text?: string | readonly string[];
      readonly data?: { readonly 'image/png'?: string };
    }[];
  }[];
}

const outputsOf = (file: string) =>
  (JSON.parse(readFileSync(file, 'utf8')) as Notebook).cells.flatMap(({ outputs = [] }) => outputs);
const notebookText = (file: string): string =>
  outputsOf(file)
    .flatMap(({ text = [] }) => text)
    .join('');
const picturesOf = (file: string): readonly Buffer[] =>
  outputsOf(file).flatMap(({ data }) => {
    const png = data?.['image/png'];
    return png === undefined ? [] : [Buffer.from(png, 'base64')];
  });

async function main(withPictures: boolean): Promise<void> {
  const started = demo(withPictures ? 8 : 2);
  const tarball = packedClient();
  const wheel = builtWheel();
  const { address, process: service } = await started;
  try {
    const notebook = join(PROJECT, 'examples/notebooks', NOTEBOOK);
    const surroundings = { address, files: [tarball, wheel, notebook] };
    measured('From npm', /^USDC \S+ \w+$/m, surroundings);
    measured('From PyPI', /^USDC \S+ \w+$/m, surroundings);
    const folder = measured('In a notebook', /^data as of \d{4}-/m, surroundings);
    const pictures = picturesOf(join(folder, NOTEBOOK));
    check('the notebook draws two pictures', pictures.length === 2, String(pictures.length));
    if (withPictures)
      for (const [index, picture] of pictures.entries())
        writeFileSync(join(PROJECT, `docs/images/notebook-${index + 1}.png`), picture);
  } finally {
    service.kill();
  }
}

try {
  await main(process.argv.includes('--pictures'));
} finally {
  rmSync(work, { recursive: true, force: true });
}
if (failures.length > 0) {
  console.error(`${failures.length} failed: ${failures.join('; ')}`);
  process.exitCode = 1;
}
