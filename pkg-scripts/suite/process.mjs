/** Runs commands of the suite. */
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';

/**
 * A command that prints nothing for so long hangs, in milliseconds. Linking and clippy print
 * nothing for minutes.
 */
export const SILENCE = 15 * 60_000;

/**
 * Runs a command, writes its output to the file `log` and, with `show`, to this process's output.
 * Resolves to `{ code, text, hung }`: the exit status, the output, and whether the command was
 * killed because it printed nothing for `silence` milliseconds.
 */
export function runCommand(command, args, { log, cwd, env, show = true, silence = SILENCE } = {}) {
  return new Promise((resolve) => {
    // The group holds all processes that the command starts, and they end together.
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const file = log && createWriteStream(log);
    let text = '';
    let hung = false;
    let timer;
    const watch = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        hung = true;
        killGroup(child);
      }, silence);
    };
    const receive = (chunk) => {
      watch();
      text += chunk;
      file?.write(chunk);
      if (show) process.stdout.write(chunk);
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', receive);
    running.add(child);
    watch();
    const finish = (code, note) => {
      clearTimeout(timer);
      running.delete(child);
      if (note) receive(`${note}\n`);
      clearTimeout(timer);
      file?.end();
      resolve({ code, text, hung });
    };
    child.on('error', (error) => finish(127, `${command} does not start: ${error.message}`));
    child.on('close', (code) => finish(code ?? 1, hung ? `${command} printed nothing for ${silence / 1000} s and was killed` : undefined));
  });
}

const running = new Set();

function killGroup(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    running.forEach(killGroup);
    process.exit(130);
  });
}
