import { parseArgs } from 'node:util';
import { BoardInspection } from '../notion-sync';
import { withNotionTools } from './cli-context';
import { UsageError, runCommand, printable } from './output';

const USAGE =
  'npm run notion:plan -- --user ID, NAME or EMAIL    what a run would write; writes nothing';

/** `npm run notion:plan`: the dry run of one person's board. */
async function main(): Promise<void> {
  const { user } = parseArgs({ options: { user: { type: 'string' } }, strict: true }).values;
  const wanted = user?.trim() ?? '';
  if (wanted === '') throw new UsageError('Say whose board: --user ID.');
  await withNotionTools(async (notion) => {
    for (const line of await notion.get(BoardInspection).plan(wanted)) console.log(printable(line));
  });
}

void runCommand(USAGE, main);
