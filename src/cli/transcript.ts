import { parseArgs } from 'node:util';
import type { Tx } from '../common/uow';
import {
  ConversationEventRepository,
  ConversationRepository,
  type ConversationRow,
  MessagePageRepository,
  type MessageRow,
  type PlacedEvent,
} from '../interview';
import { type CliContext, openAudit, withCli } from './cli-context';
import {
  COMMAND_LINE,
  RefusedInputError,
  UsageError,
  runCommand,
  printable,
  printableLine,
  timeText,
} from './output';

const USAGE = `npm run transcript               the latest conversations
       npm run transcript -- ID         one conversation, whole`;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const LATEST = 20;
/** Read at a time: a statement may not take long. */
const PAGE = { lines: 200, chars: 200_000 };

const SPEAKERS = { user: 'Candidate', assistant: 'Interviewer', system: 'Colloquy' } as const;

/** `npm run transcript`: an interview as a person reads it. */
async function main(): Promise<void> {
  const { positionals } = parseArgs({ allowPositionals: true, strict: true });
  const [id, ...more] = positionals;
  if (more.length > 0) throw new UsageError('Name one conversation.');
  if (id !== undefined && !UUID.test(id)) {
    throw new UsageError(`${id} is not the id of a conversation.`);
  }
  await withCli((cli) => (id === undefined ? listLatest(cli) : show(cli, id)));
}

interface LatestRow {
  readonly id: string;
  readonly status: string;
  readonly slug: string;
  readonly name: string | null;
  readonly created_at: Date;
}

async function listLatest(cli: CliContext): Promise<void> {
  const rows = await cli.commit('transcript.latest', (tx) =>
    tx.query<LatestRow>(
      `select c.id, c.status, v.slug, p.name, c.created_at
       from conversation c
       join vacancy v on v.id = c.vacancy_id join candidate p on p.id = c.candidate_id
       order by c.id desc limit $1`,
      [LATEST],
    ),
  );
  if (rows.length === 0) console.log('There are no conversations yet.');
  for (const { id, status, slug, name, created_at } of rows) {
    const who = printableLine(name ?? 'no name yet');
    console.log(`${id}  ${timeText(created_at)}  ${status}  ${slug}  ${who}`);
  }
}

async function show(cli: CliContext, id: string): Promise<void> {
  const audit = await openAudit(cli);
  const { header, messages, events } = await cli.commit('transcript.read', async (tx) => {
    const conversation = await new ConversationRepository().find(tx, id);
    if (conversation === undefined) throw new RefusedInputError(`There is no conversation ${id}.`);
    await audit.note(tx, { actor: COMMAND_LINE, action: 'transcript.read', subjectId: id });
    return {
      header: await headerOf(cli, tx, conversation),
      messages: await allLines(tx, id),
      events: await new ConversationEventRepository(cli.clock).listOfConversation(tx, id),
    };
  });
  console.log(header);
  const lines = [
    ...messages.map((message) => ({ seq: message.seq, line: lineOf(message) })),
    ...events.map((event) => ({ seq: event.seq, line: eventLineOf(event) })),
  ];
  for (const { line } of lines.toSorted((a, b) => a.seq - b.seq)) console.log(`\n${line}`);
}

async function allLines(tx: Tx, conversationId: string): Promise<MessageRow[]> {
  const pages = new MessagePageRepository();
  const lines: MessageRow[] = [];
  for (let isMore = true; isMore;) {
    const afterSeq = lines.at(-1)?.seq ?? 0;
    const [page] = await pages.afterEach(tx, [{ conversationId, afterSeq }], PAGE);
    lines.push(...(page?.lines ?? []));
    isMore = page?.isMore === true;
  }
  return lines;
}

async function headerOf(cli: CliContext, tx: Tx, conversation: ConversationRow): Promise<string> {
  const vacancy = await cli.vacancies.find(tx, conversation.vacancyId);
  const candidate = await cli.candidates.find(tx, conversation.candidateId);
  const { consent } = conversation;
  const agreed =
    consent === null
      ? 'no answer yet'
      : `${consent.accepted ? 'given' : 'refused'} ${timeText(consent.at)}, version ${consent.version}`;
  const known = [candidate?.name, candidate?.contact].filter((part) => typeof part === 'string');
  return [
    `${vacancy?.title ?? 'unknown vacancy'}, ${vacancy?.company ?? ''}`,
    `Candidate     ${known.length === 0 ? 'not named yet' : known.map(printableLine).join(', ')}`,
    `Conversation  ${conversation.id}, ${conversation.status}, replies: ${String(conversation.interviewStep)}`,
    `Consent       ${agreed}`,
  ].join('\n');
}

function lineOf(message: MessageRow): string {
  const marks = [
    message.channel === 'telegram' ? 'Telegram' : '',
    message.partial ? 'stopped' : '',
    message.isFromPerson ? 'a person' : '',
  ];
  const marked = marks.filter((mark) => mark !== '').join(', ');
  const head = `${timeText(message.receivedAt)}  ${SPEAKERS[message.role]}`;
  const text = printable(message.text).replace(/^/gm, '  ');
  return `${head}${marked === '' ? '' : ` (${marked})`}\n${text}`;
}

function eventLineOf({ at, event }: PlacedEvent): string {
  return `${timeText(at)}  ${printableLine(happened(event))}`;
}

function happened(event: PlacedEvent['event']): string {
  switch (event.type) {
    case 'agent':
      return `(${event.agent} takes over from ${event.from})`;
    case 'call':
      return `(${event.tool}: ${event.input.query})`;
    case 'result': {
      const names = [...new Set(event.passages.map(({ document }) => document))];
      return `(found in ${names.length === 0 ? 'no document' : names.join(', ')})`;
    }
  }
}

void runCommand(USAGE, main);
