import { plainAsideOf } from '../plan/asides';
import { type Clause, clausesOf, type Phrase, phraseOf } from './clauses';
import { isQuestion, SentenceReader } from './sentences';
import { asksSomething, isOnlyAsking, resembles, type StatementCheck } from './statements';

/** What a reply may ask, and what code says behind it. */
export interface ReplyRule {
  /** Code asks behind the text, so that the text may ask nothing. */
  readonly isAskedBehind: boolean;
  /** A question waits on the screen, so that the text may ask no other one. */
  readonly isWaiting?: boolean;
  /** The question or the closing that follows or waits; empty if none does. */
  readonly coming: string;
  /** What the candidate wrote: an acknowledgement may repeat it. */
  readonly said: readonly string[];
  /** What the candidate asked, which thanks alone do not reply to. */
  readonly repliesTo?: 'question' | 'clarify';
}

/**
 * Lets a model's text through sentence by sentence while it arrives. A sentence is shown whole or not at all.
 * Dropped are: a statement about the job without evidence (see StatementCheck), each question but the first,
 * every question if code asks behind the text or one waits, a last sentence that resembles what follows or
 * waits, and thanks with nothing behind them where something was asked.
 */
export class ReplyFilter {
  private readonly reader = new SentenceReader();
  /** A sentence that is dropped if it is the last one. */
  private waiting = '';
  /** Courtesies at the beginning of a reply, which are dropped if they are all of it. */
  private courtesies = '';
  private hasShown = false;
  private asks = false;
  private hasQuestion = false;
  private readonly heldBack: string[] = [];
  /** What follows or waits, and what the candidate wrote; null if nothing does. */
  private readonly coming: { readonly asked: Phrase; readonly told: Phrase } | null;

  constructor(
    private readonly check: StatementCheck,
    private readonly rule: ReplyRule,
  ) {
    const { coming, said } = rule;
    const isComing = coming !== '';
    this.coming = isComing ? { asked: phraseOf(coming), told: phraseOf(said.join('\n')) } : null;
  }

  /** The text that was shown asks the candidate something. */
  get hasAsked(): boolean {
    return this.asks;
  }

  /** A statement about the job was dropped. */
  get hasHeldBack(): boolean {
    return this.heldBack.length > 0;
  }

  /** One of them was the reply to a question of the candidate. */
  get hasHeldBackReply(): boolean {
    return this.heldBack.some((sentence) => this.check.repliesToQuestion(sentence));
  }

  /** The text that may be shown now. */
  take(delta: string): string {
    return this.reader
      .push(delta)
      .map((sentence) => this.pass(sentence))
      .join('');
  }

  /** The rest of the text, once nothing follows. */
  end(): string {
    return this.reader
      .end()
      .map((sentence) => this.pass(sentence))
      .join('');
  }

  private pass(sentence: string): string {
    const clauses = clausesOf(sentence);
    if (this.check.isUnproven(sentence, clauses)) {
      this.heldBack.push(sentence);
      return '';
    }
    if (this.isOneTooMany(sentence, clauses)) return '';
    this.asks ||= asksSomething(sentence, clauses);
    this.hasQuestion ||= isQuestion(sentence);
    const before = this.waiting;
    this.waiting = '';
    if (!this.leadsToComing(sentence)) return this.show(before) + this.show(sentence);
    this.waiting = sentence;
    return this.show(before);
  }

  private isOneTooMany(sentence: string, clauses: Clause[]): boolean {
    const { isAskedBehind, isWaiting = false } = this.rule;
    if (isAskedBehind) return isOnlyAsking(sentence, clauses);
    return (isWaiting || this.hasQuestion) && isQuestion(sentence);
  }

  private leadsToComing(sentence: string): boolean {
    const { coming } = this;
    return coming !== null && resembles(phraseOf(sentence), coming.asked, coming.told);
  }

  /** The first sentence begins the reply. */
  private show(sentence: string): string {
    if (sentence === '') return '';
    if (!this.hasShown && this.saysNothing(sentence)) {
      this.courtesies += sentence;
      return '';
    }
    const text = this.hasShown ? sentence : (this.courtesies + sentence).trimStart();
    this.hasShown = true;
    return text;
  }

  /** "Sure" replies to "may I …?", but not to "what do you mean?". */
  private saysNothing(sentence: string): boolean {
    const { repliesTo } = this.rule;
    if (repliesTo === undefined) return false;
    return plainAsideOf(sentence) !== null || (repliesTo === 'clarify' && AGREES.test(sentence));
  }
}

const AGREES =
  /^\s*(?:(?:of course|sure|certainly|absolutely|alright|all right|ok|okay|yes|gladly|good question|with pleasure|конечно|разумеется|да|хорошо|хороший вопрос|с удовольствием)[,.!…\s]*)+$/iu;
