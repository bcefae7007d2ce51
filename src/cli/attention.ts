import { parseArgs } from 'node:util';
import type { AttentionItem } from '../attention';
import { isStorable } from '../common/text';
import { type CliContext, withCli, openAudit, withReplays, withTakeovers } from './cli-context';
import { COMMAND_LINE, UsageError, runCommand, printableLine, timeText } from './output';

const USAGE = `npm run attention                                              what needs a person
       npm run attention -- list --all                                with what was closed
       npm run attention -- show ID
       npm run attention -- replay ID [--by NAME]                     do its work again
       npm run attention -- reply ID --text TEXT                      write to the candidate
       npm run attention -- return ID --by NAME                       the interview goes on
       npm run attention -- close ID --by NAME --reason TEXT          somebody dealt with it`;

const OPTIONS = {
  all: { type: 'boolean', default: false },
  by: { type: 'string' },
  reason: { type: 'string' },
  text: { type: 'string' },
} as const;

const PAGE = 200;
const MAX_BY = 120;
const MAX_REASON = 1000;
const MAX_REPLY = 4000;

/** `npm run attention`: the list of what needs a person. */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: OPTIONS,
    allowPositionals: true,
    strict: true,
  });
  const [verb = 'list', id, ...more] = positionals;
  if (more.length > 0) throw new UsageError('Name one item.');
  switch (verb) {
    case 'list':
      return withCli((cli) => list(cli, values.all));
    case 'show':
      return withItem(id, show);
    case 'replay':
      return withItem(id, (cli, item) =>
        replay(cli, item, wordsOf('--by', values.by ?? 'command line', MAX_BY)),
      );
    case 'reply': {
      const text = wordsOf('--text', values.text, MAX_REPLY);
      return withItem(id, (cli, item) => reply(cli, item, text));
    }
    case 'return': {
      const by = wordsOf('--by', values.by, MAX_BY);
      return withItem(id, (cli, item) => giveBack(cli, item, by));
    }
    case 'close': {
      const by = wordsOf('--by', values.by, MAX_BY);
      const reason = wordsOf('--reason', values.reason, MAX_REASON);
      return withItem(id, (cli, item) => close(cli, item, by, reason));
    }
    default:
      throw new UsageError(`${verb}: expected list, show, replay, reply, return or close.`);
  }
}

function withItem(
  id: string | undefined,
  work: (cli: CliContext, id: string) => Promise<void>,
): Promise<void> {
  if (id === undefined) throw new UsageError('Name the item by its number.');
  return withCli((cli) => work(cli, id));
}

/** Text of the command line, as it may be stored. */
function wordsOf(option: string, text: string | undefined, max: number): string {
  const words = text?.trim() ?? '';
  if (words !== '' && words.length <= max && isStorable(words)) return words;
  throw new UsageError(`${option}: expected 1 to ${String(max)} characters`);
}

async function list(cli: CliContext, isAll: boolean): Promise<void> {
  const state = isAll ? 'all' : 'open';
  let afterId = '0';
  for (;;) {
    const page = await cli.commit('attention.list', (tx) =>
      cli.attention.list(tx, { state, afterId, limit: PAGE }),
    );
    for (const item of page) console.log(lineOf(item));
    const last = page.at(-1);
    if (last === undefined && afterId === '0') console.log('Nothing needs a person.');
    if (last === undefined || page.length < PAGE) return;
    afterId = last.id;
  }
}

function lineOf(item: AttentionItem): string {
  const closed =
    item.closedAt === null ? '' : `  [closed by ${printableLine(item.closedBy ?? '')}]`;
  const { id, kind, subject, reason, createdAt } = item;
  return `${id}  ${timeText(createdAt)}  ${kind}  ${subject}  ${printableLine(reason)}${closed}`;
}

async function show(cli: CliContext, id: string): Promise<void> {
  const item = await cli.commit('attention.get', (tx) => cli.attention.get(tx, id));
  console.log(`${item.kind}  ${item.subject}`);
  console.log(`  since         ${timeText(item.createdAt)}`);
  console.log(`  reason        ${printableLine(item.reason)}`);
  if (item.jobId !== null) console.log(`  job          ${item.jobId}`);
  if (item.conversationId !== null) {
    console.log(`  conversation  ${item.conversationId}`);
    console.log(`  read it       npm run transcript -- ${item.conversationId}`);
  }
  if (item.closedAt === null) return;
  const by = printableLine(item.closedBy ?? '');
  console.log(
    `  closed        ${timeText(item.closedAt)} by ${by}: ${printableLine(item.resolution ?? '')}`,
  );
}

async function replay(cli: CliContext, id: string, by: string): Promise<void> {
  const item = await withReplays(cli, () =>
    cli.commit('attention.replay', (tx) => cli.attention.replay(tx, id, by)),
  );
  console.log(`Item ${item.id} is replayed and closed; a running Colloquy goes on with it.`);
}

async function reply(cli: CliContext, id: string, text: string): Promise<void> {
  const audit = await openAudit(cli);
  await withTakeovers(cli, (takeovers) =>
    cli.commit('attention.reply', async (tx) => {
      const subjectId = await cli.attention.conversationOf(tx, id);
      await takeovers.reply(tx, subjectId, text);
      await audit.note(tx, { actor: COMMAND_LINE, action: 'attention.reply', subjectId });
    }),
  );
  console.log('The message is stored, and the interview pauses until you return it.');
}

async function giveBack(cli: CliContext, id: string, by: string): Promise<void> {
  const audit = await openAudit(cli);
  await withTakeovers(cli, (takeovers) =>
    cli.commit('attention.return', async (tx) => {
      const subjectId = await cli.attention.conversationOf(tx, id);
      await takeovers.giveBack(tx, subjectId, by);
      await audit.note(tx, { actor: COMMAND_LINE, action: 'attention.return', subjectId });
    }),
  );
  console.log('The interview goes on.');
}

async function close(cli: CliContext, id: string, by: string, reason: string): Promise<void> {
  const item = await cli.commit('attention.close', (tx) => cli.attention.close(tx, id, by, reason));
  console.log(`Item ${item.id} is closed.`);
}

void runCommand(USAGE, main);
