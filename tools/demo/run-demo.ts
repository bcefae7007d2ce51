import type { RunningColloquy } from './running-colloquy';
import { RunningDemo } from './running-demo';

export interface Opened {
  readonly title: string;
  /** What there is to look at, the first one first. */
  readonly links: readonly (readonly [what: string, address: string])[];
  readonly colloquy: RunningColloquy;
}

/**
 * Opens a demo, prints where to look, and stops everything at Ctrl-C, when Colloquy has ended by
 * itself, or when the start fails. Then this process has nothing left to do and ends.
 */
export function runDemo(open: (demo: RunningDemo) => Promise<Opened>): void {
  const demo = new RunningDemo();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (!demo.aborted.signal.aborted) console.log('\nStopping …');
      void demo.close();
    });
  }
  console.log('Starting Colloquy and the servers of the demo …');
  const opened = (started: Opened): void => {
    print(started);
    void started.colloquy.ended.then(() => {
      if (demo.aborted.signal.aborted) return;
      console.error(`Colloquy has ended by itself. Its log: ${started.colloquy.logFile}`);
      process.exitCode = 1;
      void demo.close();
    });
  };
  open(demo).then(opened, async (error: unknown) => {
    const isStopped = demo.aborted.signal.aborted;
    await demo.close();
    if (isStopped) return;
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}

function print({ title, links, colloquy }: Opened): void {
  const width = Math.max(...links.map(([what]) => what.length));
  const lines = links.map(([what, address]) => `  ${what.padEnd(width)}   ${address}`);
  const interviewer = colloquy.areRepliesPlayed
    ? "The interviewer's replies are played, so no model is needed."
    : 'The interviewer is the model of OPENAI_MODEL.';
  console.log(`
${title}

${lines.join('\n')}

  ${interviewer}
  Log: ${colloquy.logFile}
  Ctrl-C stops everything.
`);
}
