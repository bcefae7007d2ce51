/** Lists processes of this machine, for tests that must leave none behind. */
import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { promisify } from 'node:util';

export interface RunningProcess {
  readonly pid: number;
  readonly command: string;
}

const SERVER_COMMAND = /supervisor\.cjs|bin\/(postgres|initdb)/;

/** Supervisors, servers and initdb on data in this folder (not the program that asked for them). */
export async function processesOn(folder: string): Promise<RunningProcess[]> {
  const all = await allProcesses();
  return all.filter(({ command }) => command.includes(folder) && SERVER_COMMAND.test(command));
}

async function allProcesses(): Promise<RunningProcess[]> {
  if (process.platform !== 'linux') return processesByPs();
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(
    pids.map(async (pid) => ({
      pid: Number(pid),
      command: await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
    })),
  );
}

async function processesByPs(): Promise<RunningProcess[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pid=,args=']);
  return stdout.split('\n').map((line) => {
    const [, pid = '0', command = ''] = /^\s*(\d+)\s(.*)$/.exec(line) ?? [];
    return { pid: Number(pid), command };
  });
}
