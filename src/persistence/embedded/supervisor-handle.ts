import { spawn, type ChildProcessByStdio } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Owner } from './place';

/** The settings for supervisor.cjs; supervisor-cluster.cjs explains the fields. */
export interface SupervisorSettings {
  readonly home: string;
  readonly binaries: string;
  readonly major: string;
  readonly user: string;
  readonly owner: Owner | null;
  readonly parameters: Readonly<Record<string, string>>;
  readonly disposable: boolean;
}

export interface ReadyEvent {
  readonly event: 'ready';
  readonly port: number;
  readonly password: string;
  readonly pid: number;
}

/** Events of supervisor.cjs: first ready, in-use or failed; after ready, lost and recovered or failed. */
export type SupervisorEvent =
  | ReadyEvent
  | { readonly event: 'in-use' }
  | { readonly event: 'failed'; readonly message: string }
  | { readonly event: 'lost'; readonly message: string }
  | { readonly event: 'recovered'; readonly pid: number };

/**
 * Starts the supervisor process (supervisor.cjs) for the application, reads its events and ends it.
 */
export class Supervisor {
  /** The first event. A supervisor that ends without an event counts as failed. */
  readonly started: Promise<SupervisorEvent>;
  /** Resolves when the supervisor has ended, and its server with it unless it was killed. */
  readonly ended: Promise<void>;
  private readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  private complaint = '';
  private serverPid: number | null = null;
  private isStopping = false;

  constructor(settings: SupervisorSettings, onEvent: (event: SupervisorEvent) => void) {
    this.child = spawn(
      process.execPath,
      [path.join(__dirname, 'supervisor.cjs'), JSON.stringify(settings)],
      // It runs in a session of its own, so that Ctrl-C does not reach it, and without our NODE_OPTIONS.
      { cwd: '/', env: { LC_ALL: 'C' }, detached: true, stdio: ['pipe', 'pipe', 'pipe'] },
    );
    this.child.stdin.on('error', () => undefined);
    this.child.stderr.on('data', (chunk: Buffer) => {
      this.complaint = (this.complaint + chunk.toString()).slice(-2000);
    });
    this.ended = new Promise((resolve) => {
      this.child.once('close', () => {
        resolve();
      });
    });
    this.started = new Promise((resolve) => {
      const take = (event: SupervisorEvent): void => {
        if ('pid' in event) this.serverPid = event.pid;
        onEvent(event);
        resolve(event);
      };
      createInterface({ input: this.child.stdout }).on('line', (line) => {
        take(JSON.parse(line) as SupervisorEvent);
      });
      this.child.once('error', (error) => {
        this.complaint = error.message;
      });
      this.child.once('close', () => {
        if (this.isStopping) resolve({ event: 'failed', message: 'stopped' });
        else take({ event: 'failed', message: this.complaint.trim() || 'its supervisor ended' });
        this.endOrphan();
      });
    });
  }

  /** From now on the supervisor does not keep this process alive; the server ends with this process. */
  release(): void {
    this.setReferenced(false);
  }

  /** Resolves when the server has stopped; the steps of the supervisor limit the time. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.setReferenced(true);
    this.child.stdin.end();
    await this.ended;
  }

  /** Stops the server that a killed supervisor left behind, because no other process would. */
  private endOrphan(): void {
    if (this.isStopping || this.serverPid === null) return;
    try {
      process.kill(this.serverPid, 'SIGINT');
    } catch {
      // The server has ended too.
    }
  }

  private setReferenced(isReferenced: boolean): void {
    const streams = [this.child.stdin, this.child.stdout, this.child.stderr];
    // The streams are sockets, although their types do not say it.
    for (const handle of [this.child, ...streams] as { ref?(): void; unref?(): void }[]) {
      if (isReferenced) handle.ref?.();
      else handle.unref?.();
    }
  }
}
