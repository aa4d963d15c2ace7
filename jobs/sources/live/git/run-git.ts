// Runs git as a child process: without prompts, without hooks, and only over https, http and git.
import { spawn } from 'node:child_process';

export interface GitLimits {
  readonly timeoutMs: number;
  /** Maximum size of its output. */
  readonly maxBytes: number;
}

export const GIT_LIMITS: GitLimits = { timeoutMs: 600_000, maxBytes: 100_000_000 };

export class GitFault extends Error {
  override readonly name = 'GitFault';
}

const ENVIRONMENT = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'true',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ALLOW_PROTOCOL: 'https:http:git',
  LC_ALL: 'C',
};

const SETTINGS = ['core.hooksPath=/dev/null', 'gc.auto=0', 'http.followRedirects=initial'];
const MAX_QUOTE = 300;

/** What git printed. `path` is the value of PATH. @throws GitFault */
export function runGit(
  args: readonly string[],
  { path, limits = GIT_LIMITS }: { readonly path: string; readonly limits?: GitLimits },
): Promise<Buffer> {
  const settings = SETTINGS.flatMap((setting) => ['-c', setting]);
  return new Promise((done, failed) => {
    const git = spawn('git', [...settings, ...args], {
      env: { ...ENVIRONMENT, PATH: path },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: limits.timeoutMs,
      killSignal: 'SIGKILL',
    });
    const parts: Buffer[] = [];
    let [bytes, message] = [0, ''];
    git.stdout.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes > limits.maxBytes) git.kill('SIGKILL');
      else parts.push(part);
    });
    git.stderr.on('data', (part: Buffer) => {
      message = (message + part.toString('utf8')).slice(-MAX_QUOTE * 4);
    });
    git.on('error', (cause) => failed(new GitFault('git cannot be run: install it.', { cause })));
    git.on('close', (code, signal) => {
      if (code === 0) done(Buffer.concat(parts));
      else
        failed(
          new GitFault(reasonOf({ code, signal, message, isTooLarge: bytes > limits.maxBytes }, limits)),
        );
    });
  });
}

function reasonOf(
  {
    code,
    signal,
    message,
    isTooLarge,
  }: {
    readonly code: number | null;
    readonly signal: string | null;
    readonly message: string;
    readonly isTooLarge: boolean;
  },
  { timeoutMs, maxBytes }: GitLimits,
): string {
  if (isTooLarge) return `git printed more than ${maxBytes} bytes.`;
  if (signal !== null) return `git did not finish within ${timeoutMs} ms.`;
  const lines = message.trim().split('\n');
  const line = lines.findLast((one) => /^(fatal|error):/.test(one)) ?? lines.at(-1) ?? '';
  return `git ended with ${code}: ${line.slice(0, MAX_QUOTE)}`;
}
