import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import { type Call, ChoosingModel, type Said } from '../ports';
import type { Passage } from '../search/passage';
import { type FirstOrder, MAX_PASSAGES, type SearchResult } from '../search/search-result';
import { FETCH, SELECT, SYSTEM } from './prompt';
import { Shortlist } from './shortlist';

const MAX_CALLS = 3;
/** Ids only; the rest is for models that think first. */
const MAX_OUTPUT_TOKENS = 1000;

export interface Found {
  readonly flushId: string;
  readonly question: string;
  /** Best first. */
  readonly passages: readonly Passage[];
  readonly order: FirstOrder;
}

/**
 * Lets a model choose among what a search found. It reads and selects by tool calls, at most three,
 * within one time limit over all of them. Whatever goes wrong, there is an answer: what the model
 * had asked to read by then, filled up in the order of the search.
 */
@Injectable()
export class Reranker {
  private readonly logger = new Logger('Knowledge');

  constructor(
    private readonly model: ChoosingModel,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  /** Throws the reason of `signal` when that aborted, and what the database throws. */
  async rerank(found: Found, signal: AbortSignal): Promise<SearchResult> {
    const { passages, order } = found;
    const isChoice = this.model.isOn && passages.length > MAX_PASSAGES;
    if (!isChoice) return { passages: passages.slice(0, MAX_PASSAGES), order };
    const shortlist = new Shortlist(passages);
    const limit = this.limited(signal);
    const chosen = await this.choose(found, shortlist, limit.signal).finally(limit.stop);
    signal.throwIfAborted();
    if (chosen !== null) return { passages: chosen.slice(0, MAX_PASSAGES), order: 'reranked' };
    return {
      passages: shortlist.askedForFirst().slice(0, MAX_PASSAGES),
      order: shortlist.hasBeenRead ? 'asked_for' : order,
    };
  }

  private async choose(
    { flushId, question }: Found,
    shortlist: Shortlist,
    signal: AbortSignal,
  ): Promise<Passage[] | null> {
    const messages: Said[] = [{ role: 'user', content: shortlist.describe(question) }];
    for (let call = 1; call <= MAX_CALLS && !signal.aborted; call += 1) {
      // Who still reads at the last call would never select.
      const tools = call === MAX_CALLS ? [SELECT] : [FETCH, SELECT];
      const asked = {
        flushId,
        system: SYSTEM,
        messages,
        tools,
        maxOutputTokens: MAX_OUTPUT_TOKENS,
      };
      const answer = await this.model.ask(asked, signal);
      if (!answer.ok) {
        this.logger.warn(`passages were not reranked: ${answer.reason}`);
        return null;
      }
      const { calls } = answer.value;
      const selection = calls.find(({ name }) => name === SELECT.name);
      if (selection !== undefined) return shortlist.select(selection.input);
      if (!calls.some(({ name }) => name === FETCH.name)) return null;
      messages.push({ role: 'calls', calls }, ...calls.map((each) => resultOf(each, shortlist)));
    }
    return null;
  }

  /** Aborts with the caller's signal, or when the time is over; `stop` ends the timer. */
  private limited(caller: AbortSignal): { signal: AbortSignal; stop: () => void } {
    const over = new AbortController();
    const timer = new AbortController();
    void this.clock.sleep(this.settings.knowledge.rerankTimeoutMs, timer.signal).then(() => {
      if (!timer.signal.aborted) over.abort();
    });
    return {
      signal: AbortSignal.any([caller, over.signal]),
      stop: () => {
        timer.abort();
      },
    };
  }
}

/** Every call gets a result: servers refuse a conversation that leaves one open. */
function resultOf({ id, name, input }: Call, shortlist: Shortlist): Said {
  const content =
    name === FETCH.name
      ? shortlist.read(input)
      : JSON.stringify({ error: 'there is no such tool' });
  return { role: 'result', callId: id, content };
}
