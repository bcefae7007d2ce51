import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { streamCalls } from '../fake-model/tool-replies';
import { type RawReply, sendRaw } from '../fake-model/model-replies';
import { type ReplyData, replyDataOf } from '../fake-model/reply-data';
import { Listener } from '../http-fake/listener';

/** The parts of a request for a reply that are read. */
interface Asked {
  readonly messages: readonly { readonly content: string }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

interface Said {
  readonly verdict: string;
  readonly sources?: string;
  readonly text?: string;
}

const ACKNOWLEDGEMENTS = {
  en: [
    'Thank you.',
    'I see, thanks for explaining it.',
    'Thanks.',
    'Alright, thank you.',
    'Thank you for going through it step by step.',
    'I see.',
    'Okay, thanks.',
  ],
  ru: [
    'Спасибо.',
    'Понятно, спасибо за объяснение.',
    'Спасибо вам.',
    'Хорошо, спасибо.',
    'Спасибо, что рассказали по шагам.',
    'Понятно.',
    'Ясно, спасибо.',
  ],
};
const ASK_FOR_MORE = {
  en: 'Could you say a little more, with one example?',
  ru: 'Можно чуть подробнее, на одном примере?',
};
const WANTS_PERSON = /\btalk to (a person|a human|someone)\b|позовите|поговорить с человеком/iu;
const WANTS_TO_STOP = /\bstop (here|the interview)\b|\bwithdraw\b|остановимся|закончить интервью/iu;
const WANTS_TO_SKIP = /\b(skip|rather not)\b|пропустить|не хочу отвечать/iu;
const YES = /^(yes|да)(?!\p{L})/iu;
const SHORT_ANSWER = 24;
/** About as fast as a model writes. */
const CHUNK = 6;
const CHUNK_PAUSE_MS = 30;

/**
 * A model server on 127.0.0.1 whose replies are played: it tells kinds of answers apart by their
 * words, acknowledges them, and answers questions of candidates by the beginning of the passage
 * that Colloquy finds in the vacancy's documents.
 */
export class PlayedModel {
  private readonly listener: Listener;

  private constructor(port: number) {
    this.listener = new Listener((request, response) => this.handle(request, response), port);
  }

  /** `port` 0 takes a free one. */
  static async start(port = 0): Promise<PlayedModel> {
    const model = new PlayedModel(port);
    await model.listener.open();
    return model;
  }

  /** Settings of a Colloquy that uses it. */
  get env(): Record<string, string> {
    const OPENAI_BASE_URL = `${this.listener.url}/v1`;
    return { OPENAI_API_KEY: 'played', OPENAI_MODEL: 'played-replies', OPENAI_BASE_URL };
  }

  close(): Promise<void> {
    return this.listener.close();
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
      response.writeHead(404).end();
      return;
    }
    const asked = JSON.parse(Buffer.concat(parts).toString('utf8')) as Asked;
    const offered = asked.tools?.map((tool) => tool.function.name) ?? [];
    const turn = replyDataOf(asked.messages[1]?.content);
    const said = reply(turn);
    const isFirst = turn.searchedFor === undefined && offered.includes('search_knowledge');
    if (said.verdict === 'question' && isFirst) {
      const call = streamCalls(['search_knowledge', { query: turn.answer }]) as RawReply;
      await sendRaw(response, call, Promise.resolve());
      return;
    }
    const { verdict, sources = '', text = '' } = said;
    await stream(response, { verdict, sources, text });
  }
}

/** What the model makes of an answer. */
function reply(turn: ReplyData): Said {
  const { answer, question, transcript, now, notNow } = turn;
  const language = /\p{Script=Cyrillic}/u.test(question?.text ?? answer) ? 'ru' : 'en';
  const wanted = verdictOf(answer.trim(), now.join(' '));
  const verdict = notNow.includes(wanted) ? 'answered' : wanted;
  if (verdict === 'leave' || verdict === 'human') return { verdict };
  if (verdict === 'question') return { verdict, ...foundIn(turn) };
  if (verdict === 'vague') return { verdict, text: question?.followUp ?? ASK_FOR_MORE[language] };
  if (verdict === 'refusal') return { verdict, text: language === 'ru' ? 'Хорошо.' : 'Of course.' };
  const words = ACKNOWLEDGEMENTS[language];
  return { verdict, text: words[(transcript.length + answer.length) % words.length] ?? '' };
}

function verdictOf(answer: string, now: string): string {
  const isYes = YES.test(answer) && answer.length < SHORT_ANSWER;
  if (isYes && now.includes('whether the candidate wants to stop')) return 'leave';
  if (isYes && now.includes('whether a person is to take over')) return 'human';
  if (WANTS_PERSON.test(answer)) return 'human';
  if (WANTS_TO_STOP.test(answer)) return 'leave';
  if (WANTS_TO_SKIP.test(answer)) return 'refusal';
  if (answer.endsWith('?')) return 'question';
  return answer.length < SHORT_ANSWER && !isYes ? 'vague' : 'answered';
}

/** The first two sentences of the best passage; nothing when no passage has words of the question. */
function foundIn({ answer, passages = [] }: ReplyData): Pick<Said, 'sources' | 'text'> {
  const scored = passages.map(({ headings, text }, place) => ({
    place,
    text,
    score: shared(answer, `${headings.join(' ')} ${text}`),
  }));
  const [best] = scored.toSorted((one, other) => other.score - one.score);
  if (best === undefined || best.score === 0) return {};
  const sentences = best.text.split(/(?<=[.!?])\s+/u).slice(0, 2);
  return { sources: String(best.place + 1), text: sentences.join(' ') };
}

/** How many long words of a question a text has, by their beginnings. */
function shared(question: string, text: string): number {
  const words = question.toLowerCase().match(/\p{L}{4,}/gu) ?? [];
  const stems = new Set(words.map((word) => word.slice(0, 5)));
  const others = new Set((text.toLowerCase().match(/\p{L}{4,}/gu) ?? []).map((w) => w.slice(0, 5)));
  return [...stems].filter((stem) => others.has(stem)).length;
}

async function stream(response: ServerResponse, output: object): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const tell = (delta: object, finish_reason: string | null = null): void => {
    const choices = [{ index: 0, delta, finish_reason }];
    const id = 'played';
    const event = { id, object: 'chat.completion.chunk', created: 0, model: id, choices };
    response.write(`data: ${JSON.stringify(event)}\n\n`);
  };
  const content = JSON.stringify(output);
  for (let at = 0; at < content.length && !response.destroyed; at += CHUNK) {
    tell({ content: content.slice(at, at + CHUNK) });
    await pause(CHUNK_PAUSE_MS);
  }
  tell({}, 'stop');
  response.end('data: [DONE]\n\n');
}
