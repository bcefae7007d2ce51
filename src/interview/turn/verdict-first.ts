import { type Decision, completeReply } from '../plan/decision';
import type { Verdict } from '../plan/verdict';
import { decide } from '../plan/decide';
import { type InterviewPrompt, passagesOf } from '../prompts/interview-request';
import type { ReplyEvent, ReplyReader } from '../reply/reply-reader';
import type { OpenedTurn } from './opened-turn';

/** Takes the reply's text piece by piece; throws when the turn is no longer ours to write. */
export type ReplySink = (delta: string) => void;

/** Lets the model's text through once code has accepted its verdict, and adds code's own words. */
export class VerdictGate {
  private decision: Decision | null = null;
  private streamed = '';
  private isSearchFirst = false;

  constructor(
    private readonly turn: OpenedTurn,
    private readonly prompt: InterviewPrompt,
    private readonly reader: ReplyReader,
    private readonly sink: ReplySink,
  ) {}

  get hasSpoken(): boolean {
    return this.streamed !== '';
  }

  /** The candidate asks what the model has no source for, and nobody has looked for one yet. */
  get mustSearch(): boolean {
    return this.isSearchFirst;
  }

  all(events: Iterable<ReplyEvent>): void {
    for (const event of events) {
      if (event.type === 'delta') this.letThrough(event.text);
      else this.judge(event.verdict);
    }
  }

  finish(): Decision {
    const decision = this.decision ?? this.decide('answered');
    const rest = completeReply(decision, this.streamed);
    if (rest !== '') this.sink(rest);
    // Searched for in vain: an answer held a question too.
    const isQuestionOpen = this.prompt.searches.length > 0 && !this.isGrounded;
    return isQuestionOpen ? { ...decision, isQuestionOpen } : decision;
  }

  private get isGrounded(): boolean {
    return namesSources(this.reader.sources, passagesOf(this.prompt.searches).length);
  }

  private judge(proposed: Verdict): void {
    const { canSearch, searches } = this.prompt;
    const isUnknown = proposed === 'question' && !this.isGrounded;
    if (isUnknown && canSearch && searches.length === 0) this.isSearchFirst = true;
    else this.decide(proposed);
  }

  private decide(proposed: Verdict): Decision {
    const { plan, state, context } = this.turn;
    this.decision = decide(plan, state, proposed, context, this.isGrounded);
    return this.decision;
  }

  private letThrough(text: string): void {
    if (this.decision?.speaker !== 'model') return;
    this.streamed += text;
    this.sink(text);
  }
}

/**
 * Whether these are numbers of sources, and of none but what there is: 0 is the interview itself, 1 to
 * `passages` are what was found. Words about sources are none: "none of the 2" names no source.
 */
function namesSources(sources: string, passages: number): boolean {
  const named = sources.split(/[\s,;[\]]+/).filter((name) => name !== '');
  return named.length > 0 && named.every((name) => /^\d+$/.test(name) && Number(name) <= passages);
}
