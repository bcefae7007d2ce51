import { type AttentionItem, AttentionService } from '../attention';
import { COMMAND } from '../common/command-name';
import { ColloquyError } from '../common/errors';
import type { Tx } from '../common/uow';
import { MessageRepository, Takeovers } from '../interview';
import { AuditRepository } from '../privacy';
import { COMMAND_LINE, type CliContext, withCli } from './cli-context';
import { NotFoundError, RefusedInputError, UsageError } from './failures';
import { isUuid } from '../common/ids';
import { conversationIdOf, isConversationName, peopleOf } from './conversation-id';
import { textOf } from './option-values';
import { type Result, printableLine, timeText } from './output';

const PAGE = 200;
const MAX_BY = 120;
const MAX_REASON = 1000;
const MAX_REPLY = 4000;

/** Lists what needs a person, the oldest first. */
export function listItems({ isWithClosed }: { isWithClosed: boolean }): Promise<Result> {
  return withCli(async (cli) => {
    const state = isWithClosed ? 'all' : 'open';
    const items: AttentionItem[] = [];
    for (let isMore = true; isMore;) {
      const afterId = items.at(-1)?.id ?? '0';
      const page = await cli.commit('attention.list', (tx) =>
        cli.get(AttentionService).list(tx, { state, afterId, limit: PAGE }),
      );
      items.push(...page);
      isMore = page.length === PAGE;
    }
    const listed = await withItemsUnder(cli, items);
    const lines = listed.flatMap((item) => [
      lineOf(item),
      ...aboutLines(item),
      ...linesUnder(item),
    ]);
    await noteQuestions(cli, listed);
    return {
      document: { items: listed.map(documentOf) },
      lines: lines.length === 0 ? ['Nothing needs a person.'] : lines,
    };
  });
}

interface ListedItem extends AttentionItem {
  /** How many open items are listed under it. */
  readonly itemCount: number;
  /** The oldest of them. */
  readonly items: readonly AttentionItem[];
  readonly about: About;
}

/** Who and what an item is about; null where it is about no conversation. */
interface About {
  readonly candidate: string | null;
  readonly vacancy: string | null;
  /** What the candidate asked, in their words; only of an item of the kind `question`. */
  readonly question: string | null;
}

async function aboutOf(cli: CliContext, tx: Tx, item: AttentionItem): Promise<About> {
  const { conversationId, kind, createdAt } = item;
  if (conversationId === null) return { candidate: null, vacancy: null, question: null };
  const { name, vacancy } = await peopleOf(cli, tx, conversationId);
  const asked =
    kind === 'question'
      ? await cli.get(MessageRepository).lastSaidBefore(tx, conversationId, createdAt)
      : null;
  return { candidate: name, vacancy, question: asked };
}

function withItemsUnder(cli: CliContext, items: readonly AttentionItem[]): Promise<ListedItem[]> {
  return cli.commit('attention.under', async (tx) => {
    const counts = await cli.get(AttentionService).countUnder(tx, items);
    const listed: ListedItem[] = [];
    for (const item of items) {
      const itemCount = counts.get(item.id) ?? 0;
      const under =
        itemCount === 0 ? [] : await cli.get(AttentionService).listUnder(tx, item, { limit: PAGE });
      listed.push(
        Object.assign(item, { itemCount, items: under, about: await aboutOf(cli, tx, item) }),
      );
    }
    return listed;
  });
}

/** The person, the vacancy and the question, and how to answer it. */
function aboutLines({ id, conversationId, about, closedAt }: ListedItem): string[] {
  if (conversationId === null) return [];
  const { candidate, vacancy, question } = about;
  const who = `${candidate ?? 'no name yet'}, ${vacancy ?? 'unknown vacancy'}`;
  return [
    `    ${printableLine(who)}  conversation …${conversationId.slice(-8)}`,
    ...(question === null ? [] : [`    asked: ${printableLine(question)}`]),
    ...(question === null || closedAt !== null
      ? []
      : [`    ${COMMAND} attention answer ${id} --by NAME --text TEXT`]),
  ];
}

/** Who is shown a candidate's words has read the interview. */
async function noteQuestions(cli: CliContext, items: readonly ListedItem[]): Promise<void> {
  const read = items.filter(({ about }) => about.question !== null);
  if (read.length === 0) return;
  const audit = cli.get(AuditRepository);
  await cli.commit('attention.audit', async (tx) => {
    for (const { conversationId } of read) {
      const subjectId = conversationId ?? '';
      await audit.note(tx, { actor: COMMAND_LINE, action: 'transcript.read', subjectId });
    }
  });
}

/** Each can be shown, replayed and closed by its own number. */
function linesUnder({ itemCount, items }: ListedItem): string[] {
  const more = itemCount - items.length;
  return [
    ...items.map((item) => `  ${lineOf(item)}  conversation ${item.conversationId ?? 'none'}`),
    ...(more > 0 ? [`  … and ${String(more)} more, which follow when these are closed`] : []),
  ];
}

function lineOf(item: AttentionItem): string {
  const closed =
    item.closedAt === null ? '' : `  [closed by ${printableLine(item.closedBy ?? '')}]`;
  const { id, kind, subject, reason, createdAt } = item;
  return `${id}  ${timeText(createdAt)}  ${kind}  ${subject}  ${printableLine(reason)}${closed}`;
}

/** The field names of the admin API. */
function documentOf({
  items = [],
  itemCount = 0,
  ...item
}: AttentionItem & Partial<ListedItem>): object {
  return { ...item, itemCount, items: items.map((one) => documentOf(one)) };
}

/** Like withCli. The errors of the services name neither the item nor a command; these do. */
async function withItem<T>(
  id: string,
  work: (cli: CliContext, itemId: string) => Promise<T>,
): Promise<T> {
  try {
    return await withCli(async (cli) => work(cli, await itemIdOf(cli, id)));
  } catch (error) {
    const shown = printableLine(id);
    switch (error instanceof ColloquyError ? error.code : '') {
      case 'attention_unknown':
        throw new NotFoundError(
          `There is no attention item ${shown}: "${COMMAND} attention --all" lists them.`,
        );
      case 'attention_closed':
        throw new RefusedInputError(
          `Item ${shown} is closed already: "${COMMAND} attention show ${shown}" says by whom.`,
        );
      case 'attention_without_conversation':
        throw new RefusedInputError(
          `Item ${shown} belongs to no conversation: close or replay it.`,
        );
      case 'conversation_with_model':
        throw new RefusedInputError(
          'The interviewer has this interview already: nothing is to be returned.',
        );
      default:
        throw error;
    }
  }
}

const NUMBER = /^\d{1,18}$/;

/** The number of an item. The end of a conversation's id names the open item about that conversation. */
async function itemIdOf(cli: CliContext, text: string): Promise<string> {
  if (!isConversationName(text)) return text;
  if (!NUMBER.test(text)) return openItemOf(cli, text);
  try {
    const item = await cli.commit('attention.get', (tx) => cli.get(AttentionService).get(tx, text));
    return item.id;
  } catch (error) {
    if (!(error instanceof ColloquyError && error.code === 'attention_unknown')) throw error;
    return await openItemOf(cli, text);
  }
}

function openItemOf(cli: CliContext, endOfId: string): Promise<string> {
  return cli.commit('attention.find', async (tx) => {
    const conversationId = await conversationIdOf(cli, tx, endOfId);
    const open = await cli.get(AttentionService).openOf(tx, conversationId);
    const [only, ...others] = open;
    if (only === undefined) {
      throw new NotFoundError(`There is no open item about the conversation ${conversationId}.`);
    }
    if (others.length === 0) return only.id;
    const named = open.map((item) => `\n  ${lineOf(item)}`).join('');
    throw new UsageError(
      `More than one open item is about this conversation; give its number:${named}`,
    );
  });
}

/** Shows one item. */
export function showItem(id: string): Promise<Result> {
  return withItem(id, async (cli, itemId) => {
    const found = await cli.commit('attention.get', (tx) =>
      cli.get(AttentionService).get(tx, itemId),
    );
    const [item] = await withItemsUnder(cli, [found]);
    if (item === undefined) throw new NotFoundError(`There is no attention item ${itemId}.`);
    await noteQuestions(cli, [item]);
    const { conversationId, jobId, closedAt, closedBy, resolution } = item;
    const lines = [
      `${item.kind}  ${item.subject}`,
      `  since         ${timeText(item.createdAt)}`,
      `  reason        ${printableLine(item.reason)}`,
      ...aboutLines(item),
      ...(jobId === null ? [] : [`  job           ${jobId}`]),
      ...(conversationId === null
        ? []
        : [
            `  conversation  ${conversationId}`,
            `  read it       ${COMMAND} transcript ${conversationId}`,
          ]),
      ...(closedAt === null
        ? []
        : [
            `  closed        ${timeText(closedAt)} by ${printableLine(closedBy ?? '')}: ${printableLine(resolution ?? '')}`,
          ]),
      ...(item.itemCount === 0 ? [] : ['', `Under it, ${String(item.itemCount)} open:`]),
      ...linesUnder(item),
    ];
    return { document: documentOf(item), lines };
  });
}

/** Does the item's work again, which only writes rows: the running application goes on with it. */
export async function replayItem(id: string, options: { by?: string }): Promise<Result> {
  const by = textOf('--by', options.by ?? COMMAND_LINE, MAX_BY);
  return withItem(id, async (cli, itemId) => {
    const attention = cli.get(AttentionService);
    const item = await cli.commit('attention.replay', (tx) => attention.replay(tx, itemId, by));
    return {
      document: documentOf(item),
      lines: [`Item ${item.id} is replayed and closed; a running Colloquy goes on with it.`],
    };
  });
}

/** Writes to the candidate of the item's conversation, which pauses the interview. */
export async function replyToItem(
  id: string,
  options: { text: string; messageId?: string },
): Promise<Result> {
  const text = textOf('--text', options.text, MAX_REPLY);
  const { messageId } = options;
  if (messageId !== undefined && !isUuid(messageId)) {
    throw new UsageError(`--message-id ${messageId}: expected a UUID`);
  }
  return withConversationOf(id, 'attention.reply', (takeovers, tx, conversationId) =>
    takeovers.reply(tx, conversationId, text, messageId),
  ).then((item) => ({
    document: documentOf(item),
    lines: [
      'The message is stored, and the interview pauses until you return it:',
      `  ${COMMAND} attention return ${item.id} --by NAME`,
    ],
  }));
}

/**
 * Answers the candidate's question, and closes the item: both in one commit, and the interview goes on as it was. An
 * item that stands for an interview with a person stays open until it is returned.
 */
export async function answerItem(
  id: string,
  options: { text: string; by: string },
): Promise<Result> {
  const text = textOf('--text', options.text, MAX_REPLY);
  const by = textOf('--by', options.by, MAX_BY);
  const item = await withConversationOf(
    id,
    'attention.reply',
    async (takeovers, tx, conversationId, { kind, close }) => {
      await takeovers.answer(tx, conversationId, text);
      if (kind !== 'handed_over') await close(by, 'answered');
    },
  );
  return {
    document: documentOf(item),
    lines: [
      item.closedAt === null
        ? `The answer is stored. Item ${item.id} stays open: a person has the interview.`
        : `The answer is stored, and item ${item.id} is closed; the interview goes on.`,
    ],
  };
}

/** Gives the conversation of the item back to the interviewer. */
export async function returnItem(id: string, options: { by: string }): Promise<Result> {
  const by = textOf('--by', options.by, MAX_BY);
  return withConversationOf(id, 'attention.return', (takeovers, tx, conversationId) =>
    takeovers.returnToModel(tx, conversationId, by),
  ).then((item) => ({
    document: documentOf(item),
    lines: [
      item.closedAt === null
        ? `The interview goes on; item ${item.id} stays open.`
        : `The interview goes on, and item ${item.id} is closed.`,
    ],
  }));
}

function withConversationOf(
  id: string,
  action: 'attention.reply' | 'attention.return',
  work: (
    takeovers: Takeovers,
    tx: Tx,
    conversationId: string,
    item: {
      readonly kind: AttentionItem['kind'];
      readonly close: (by: string, resolution: string) => Promise<unknown>;
    },
  ) => Promise<unknown>,
): Promise<AttentionItem> {
  return withItem(id, (cli, itemId) =>
    cli.commit(action, async (tx) => {
      const attention = cli.get(AttentionService);
      const item = await attention.get(tx, itemId);
      const conversationId = attention.conversationOf(item);
      await work(cli.get(Takeovers), tx, conversationId, {
        kind: item.kind,
        close: (by, resolution) => attention.close(tx, itemId, by, resolution),
      });
      const audited = { actor: COMMAND_LINE, action, subjectId: conversationId };
      await cli.get(AuditRepository).note(tx, audited);
      return attention.get(tx, itemId);
    }),
  );
}

/** Closes an item that somebody dealt with. */
export async function closeItem(
  id: string,
  options: { by: string; reason: string },
): Promise<Result> {
  const by = textOf('--by', options.by, MAX_BY);
  const reason = textOf('--reason', options.reason, MAX_REASON);
  return withItem(id, async (cli, itemId) => {
    const item = await cli.commit('attention.close', (tx) =>
      cli.get(AttentionService).close(tx, itemId, by, reason),
    );
    return { document: documentOf(item), lines: [`Item ${item.id} is closed.`] };
  });
}
