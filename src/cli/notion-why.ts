import { parseArgs } from 'node:util';
import { BoardInspection } from '../notion-sync';
import { withNotionTools } from './cli-context';
import { UsageError, runCommand, printable } from './output';

const USAGE = 'npm run notion:why -- --page ID or ADDRESS    why a task has its rank';

/** The last 32 digits of a page's address, or an id with or without its dashes. */
const PAGE =
  /([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})(?:\?.*)?$/i;

/** `npm run notion:why`: a rank, explained. */
async function main(): Promise<void> {
  const { page } = parseArgs({ options: { page: { type: 'string' } }, strict: true }).values;
  const found = PAGE.exec(page?.trim() ?? '');
  if (found === null) throw new UsageError('Say which task: --page and its id or address.');
  const pageId = found.slice(1).join('-').toLowerCase();
  await withNotionTools(async (notion) => {
    for (const line of await notion.get(BoardInspection).why(pageId)) console.log(printable(line));
  });
}

void runCommand(USAGE, main);
