import { CandidateRepository } from '../candidates';
import type { Tx } from '../common/uow';
import {
  ConversationEventRepository,
  ConversationRepository,
  type ConversationRow,
  type PlacedEvent,
  type TranscriptLine,
  TranscriptLineRepository,
  type TranscriptLinesPage,
} from '../interview';
import { AuditRepository } from '../privacy';
import { VacancyRepository } from '../vacancies';
import { COMMAND_LINE, type CliContext, withCli } from './cli-context';
import { NotFoundError, UsageError } from './failures';
import { conversationIdOf, isConversationName } from './conversation-id';
import { type Result, printable, printableLine, timeText } from './output';

const LATEST = 20;
const SPEAKERS = { user: 'Candidate', assistant: 'Interviewer', system: 'Colloquy' } as const;

/**
 * An interview as a person reads it, or the latest interviews without an id. The last four or more
 * characters of an id are enough.
 */
export async function transcript(id: string | undefined): Promise<Result> {
  if (id !== undefined && !isConversationName(id)) {
    throw new UsageError(
      `${id} is not the id of a conversation, nor its last four or more characters.`,
    );
  }
  return withCli(async (cli) => {
    if (id === undefined) return listLatest(cli);
    return show(cli, await cli.commit('transcript.find', (tx) => conversationIdOf(cli, tx, id)));
  });
}

function listLatest(cli: CliContext): Promise<Result> {
  return cli.commit('transcript.latest', async (tx) => {
    const conversations = [];
    for (const row of await cli.get(ConversationRepository).latest(tx, LATEST)) {
      const { id, status, createdAt } = row;
      const slug =
        (await cli.get(VacancyRepository).find(tx, row.vacancyId))?.slug ?? 'unknown vacancy';
      const name = (await cli.get(CandidateRepository).find(tx, row.candidateId))?.name ?? null;
      conversations.push({ id, status, vacancy: slug, candidate: name, createdAt });
    }
    const lines = conversations.map(({ id, status, vacancy, candidate, createdAt }) => {
      const who = printableLine(candidate ?? 'no name yet');
      return `${id}  ${timeText(createdAt)}  ${status}  ${vacancy}  ${who}`;
    });
    return {
      document: { conversations },
      lines: lines.length === 0 ? ['There are no conversations yet.'] : lines,
    };
  });
}

function show(cli: CliContext, id: string): Promise<Result> {
  const audit = cli.get(AuditRepository);
  return cli.commit('transcript.read', async (tx) => {
    const conversation = await cli.get(ConversationRepository).find(tx, id);
    if (conversation === undefined) throw new NotFoundError(`There is no conversation ${id}.`);
    await audit.note(tx, { actor: COMMAND_LINE, action: 'transcript.read', subjectId: id });
    const heading = await headingOf(cli, tx, conversation);
    const messages = await allLines(cli, tx, id);
    const events = await cli.get(ConversationEventRepository).listOfConversation(tx, id);
    const entries = [
      ...messages.map((message) => ({
        document: messageDocument(message),
        line: lineOf(message),
      })),
      ...events.map((event) => ({ document: event, line: eventLineOf(event) })),
    ].toSorted((a, b) => a.document.seq - b.document.seq);
    return {
      document: { ...heading.document, entries: entries.map(({ document }) => document) },
      lines: [...heading.lines, ...entries.flatMap(({ line }) => ['', line])],
    };
  });
}

function messageDocument(line: TranscriptLine) {
  const { seq, number, at, role, channel, isPartial, isFromPerson, text } = line;
  const { author, repliesTo, label, touchedIn, origin } = line;
  const said = { seq, number, at, role, channel, isPartial, isFromPerson, text };
  return { ...said, author, repliesTo, label, touchedIn, origin };
}

/** In pages, because a statement may not take long. */
async function allLines(
  cli: CliContext,
  tx: Tx,
  conversationId: string,
): Promise<TranscriptLine[]> {
  const lines = cli.get(TranscriptLineRepository);
  const pages: (readonly TranscriptLine[])[] = [];
  let before: number | null = null;
  do {
    const page: TranscriptLinesPage = await lines.page(tx, conversationId, before);
    pages.unshift(page.lines);
    before = page.olderCursor;
  } while (before !== null);
  return pages.flat();
}

async function headingOf(
  cli: CliContext,
  tx: Tx,
  { id, status, interviewStep, vacancyId, candidateId, consent }: ConversationRow,
) {
  const vacancy = await cli.get(VacancyRepository).find(tx, vacancyId);
  const candidate = await cli.get(CandidateRepository).find(tx, candidateId);
  const { name = null, contact = null } = candidate ?? {};
  const agreed =
    consent === null
      ? 'no answer yet'
      : `${consent.accepted ? 'given' : 'refused'} ${timeText(consent.at)}, version ${consent.version}`;
  const known = [name, contact].filter((part) => part !== null);
  return {
    document: {
      conversation: { id, status, replies: interviewStep, consent },
      vacancy: vacancy?.slug ?? null,
      candidate: { id: candidateId, name, contact },
    },
    lines: [
      `${vacancy?.title ?? 'unknown vacancy'}, ${vacancy?.company ?? ''}`,
      `Candidate     ${known.length === 0 ? 'not named yet' : known.map(printableLine).join(', ')}`,
      `Candidate id  ${candidateId}`,
      `Conversation  ${id}, ${status}, replies: ${String(interviewStep)}`,
      `Consent       ${agreed}`,
    ],
  };
}

function lineOf(line: TranscriptLine): string {
  const { origin, touchedIn } = line;
  const marks = [
    channelMark(line.channel),
    line.isPartial ? 'stopped' : '',
    line.isFromPerson ? 'a person' : '',
    authorMark(line),
    replyMark(line),
    ...labelMarks(line),
    touchedIn === null ? '' : `No. ${String(touchedIn)} touched on this question before`,
    origin === null ? '' : `reply ${origin.reply}, ${modelText(origin)}, prompt ${origin.prompt}`,
  ];
  const marked = marks.filter((mark) => mark !== '').join('; ');
  const head = `${timeText(line.at)}  No. ${String(line.number)}  ${SPEAKERS[line.role]}`;
  const text = printable(line.text).replace(/^/gm, '  ');
  return `${head}${marked === '' ? '' : ` (${printableLine(marked)})`}\n${text}`;
}

/** The second model is named as such: a reader may wonder why the interviewer sounds different. */
function modelText({ model, isFallback }: NonNullable<TranscriptLine['origin']>): string {
  return `${model ?? 'unknown model'}${isFallback ? ' (second model)' : ''}`;
}

/** A candidate's usual channel, the web page, is not marked. */
function channelMark(channel: string): string {
  if (channel === 'web' || channel === 'code') return '';
  return channel === 'telegram' ? 'Telegram' : channel;
}

/** Words that the candidate only passed on are not theirs. */
function authorMark({ author }: TranscriptLine): string {
  if (author === null) return '';
  if (author.how === 'bot') return `written by the bot ${author.name ?? ''}`.trim();
  return author.name === null ? 'forwarded' : `forwarded from ${author.name}`;
}

function replyMark({ repliesTo }: TranscriptLine): string {
  if (repliesTo === null) return '';
  const line = repliesTo.number === null ? '' : ` No. ${String(repliesTo.number)}`;
  const quote = repliesTo.quote === null ? '' : ` “${repliesTo.quote}”`;
  return `replies to${line}${quote}`;
}

/** What the message was read as. */
function labelMarks({ label }: TranscriptLine): string[] {
  if (label === null) return [];
  const touched = label.touches.map(({ question, askedIn }) => {
    const asked = askedIn === null ? 'not asked yet' : `asked in No. ${String(askedIn)}`;
    return `touches on question ${String(question)}, ${asked}`;
  });
  return [labelText(label), ...touched];
}

function labelText({ name, question, corrects }: NonNullable<TranscriptLine['label']>): string {
  const of = question === null ? 'an earlier answer' : `question ${String(question)}`;
  switch (name) {
    case 'answer':
      return `answers ${of}`;
    case 'addition':
      return `added to ${of}`;
    case 'correction':
      if (corrects !== null) return `corrects No. ${String(corrects)}`;
      return question === null ? `corrects ${of}` : `corrects the answer to ${of}`;
    case 'question':
      return 'asks a question';
    case 'aside':
      return 'not an answer';
  }
}

function eventLineOf({ at, event }: PlacedEvent): string {
  return `${timeText(at)}  ${printableLine(eventText(event))}`;
}

function eventText(event: PlacedEvent['event']): string {
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
