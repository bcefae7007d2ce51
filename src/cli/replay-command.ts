import type { Command } from 'commander';
import { UsageError } from './failures';
import type { Result } from './output';
import { report, subcommand, withJson } from './subcommand';

/** Something beside a reply that `colloquy replay` asks the model for again: an option with an id. */
export interface AddedReplay {
  /** The option's name without its dashes. */
  readonly name: string;
  /** What its value names. */
  readonly expects: string;
  readonly example: readonly [args: string, effect: string];
  readonly run: (id: string) => Promise<Result>;
}

const REPLY: AddedReplay = {
  name: 'reply',
  expects: 'the reply, as "transcript" names it',
  example: ['--reply 42', 'the last request that the reply came from'],
  run: async (id) => (await import('./replay')).replayReply(id),
};

export function addReplay(program: Command, added: readonly AddedReplay[]): void {
  const kinds = [...added, REPLY];
  const replay = withJson(
    subcommand(
      program,
      'replay',
      'ask the model again for scores or a reply, and compare',
      kinds.map(({ example }) => example),
    ),
  );
  for (const { name, expects } of kinds) replay.option(`--${name} <id>`, expects);
  replay.action((options: Readonly<Record<string, string | undefined>>, command: Command) =>
    report(command, 'Asking again', async () => {
      const [given, ...others] = kinds.filter(({ name }) => options[name] !== undefined);
      if (given === undefined || others.length > 0) {
        const each = kinds.map(({ name }) => `--${name} ID`);
        throw new UsageError(`Add either ${each.join(' or ')}.`);
      }
      return given.run(options[given.name] ?? '');
    }),
  );
}
