import { parseArgs } from 'node:util';
import { candidateOf, COMMAND_LINE, UsageError, runCommand } from './output';
import { type CliContext, withCli, withPersonalData } from './cli-context';

const USAGE = `npm run forget -- --candidate ID --yes    erase all that is stored about a candidate`;

const OPTIONS = {
  candidate: { type: 'string' },
  yes: { type: 'boolean', default: false },
} as const;

/** `npm run forget`: what a candidate who asks to be erased is to get. */
async function main(): Promise<void> {
  const { candidate, yes } = parseArgs({ options: OPTIONS, strict: true }).values;
  const candidateId = candidateOf(candidate);
  if (!yes) throw new UsageError('This cannot be undone. Say --yes if it is meant.');
  await withCli((cli) => forget(cli, candidateId));
}

/** A reply that another process is writing about it ends there: it finds that its turn is gone. */
async function forget(cli: CliContext, candidateId: string): Promise<void> {
  const { isFound, conversations, messages } = await withPersonalData(cli, (personal) =>
    cli.commit('personal.erase', (tx) => personal.erase(tx, candidateId, COMMAND_LINE)),
  );
  if (!isFound) {
    console.log('Nothing is stored about this candidate.');
    return;
  }
  console.log(
    `Erased: the candidate, conversations: ${String(conversations)}, messages: ${String(messages)}.`,
  );
}

void runCommand(USAGE, main);
