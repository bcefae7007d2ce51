import { type InterviewState, initialState } from '../../src/interview/plan/state';
import type { Observations, TurnContext, TurnDecision } from '../../src/interview/plan/verdicts';
import type { InterviewPrompt } from '../../src/interview/prompts/interview-request';
import { textsOf } from '../../src/interview/texts/texts';
import { ReplyReader } from '../../src/interview/turn/reply-reader';
import type { OpenedTurn } from '../../src/interview/turn/turn-opening';
import { VerdictGate } from '../../src/interview/turn/verdict-gate';
import type { QuestionMark } from '../../src/streams';
import type { InterviewPlan, Language } from '../../src/vacancies';

export const ASK = 'Which part of it was your own work?';
export const NEXT = 'Describe an incident in production that you helped to resolve.';
export const PLAN: InterviewPlan = {
  greeting: 'Hello.',
  closing: 'Goodbye.',
  questions: [
    {
      id: 'service',
      text: 'Tell me about a service that you owned.',
      mustAsk: true,
      kind: 'open',
      rubric: 'Own work.',
      followUp: ASK,
      followUps: 1,
      probe: 'How did you measure that?',
    },
    { id: 'incident', text: NEXT, mustAsk: true, kind: 'open', rubric: 'A cause.' },
  ],
};
export const EN = textsOf('en');

export interface Said {
  readonly answer?: string;
  readonly language?: Language;
  readonly plan?: InterviewPlan;
  readonly state?: InterviewState;
  readonly context?: Partial<TurnContext>;
  readonly prompt?: Partial<InterviewPrompt>;
}

/** A gate behind a reader, and what it has shown and noted so far. */
export class TestGate {
  readonly pieces: string[] = [];
  /** What is kept of the reply if it is stopped now. */
  unfinished: TurnDecision | null = null;
  /** What the model wrote of the messages. */
  labels: string | null = null;
  /** The later questions that the answer touches on. */
  touches: Observations['touches'];
  /** The whole text, and the question of the plan in it. */
  asked: { readonly text: string; readonly question: QuestionMark | null } | null = null;
  private readonly reader: ReplyReader;
  private readonly gate: VerdictGate;

  constructor({ answer = 'A service in Go.', language = 'en', plan = PLAN, ...said }: Said = {}) {
    const state = said.state ?? initialState(plan);
    const context = {
      language,
      status: 'active',
      isConsented: true,
      isAddendum: false,
      ordinal: 0,
      ...said.context,
    };
    const turn = { plan, state, context } as unknown as OpenedTurn;
    const prompt = {
      plan,
      vacancy: { title: 'Engineer', company: 'Harbourline' },
      facts: { progress: 'Question 1 of 2.', disclosure: 'An AI asks.', readers: 'Ada reads it.' },
      history: [],
      corrections: [],
      searches: [],
      canSearch: false,
      answer,
      ...said.prompt,
    } as unknown as InterviewPrompt;
    const notes = {
      decided: (decision: TurnDecision) => {
        this.unfinished = decision;
      },
      labelled: (written: string, { touches }: Pick<Observations, 'touches'>) => {
        this.labels = written;
        this.touches = touches;
      },
      asks: (text: string, question: QuestionMark | null) => {
        this.asked = { text, question };
      },
    };
    this.reader = new ReplyReader(answer);
    const show = (delta: string): void => {
      this.pieces.push(delta);
    };
    this.gate = new VerdictGate(turn, prompt, this.reader, show, notes);
  }

  get text(): string {
    return this.pieces.join('');
  }

  get mustSearch(): boolean {
    return this.gate.mustSearch;
  }

  get hasSpoken(): boolean {
    return this.gate.hasSpoken;
  }

  take(piece: string): void {
    this.gate.take(this.reader.push(piece));
  }

  end(): TurnDecision {
    const ended = this.reader.end();
    if (ended.kind === 'reply') this.gate.take(ended.events);
    return this.gate.finish();
  }
}

interface Heard extends Pick<TestGate, 'text' | 'labels' | 'touches' | 'asked' | 'pieces'> {
  readonly decision: TurnDecision;
}

/** What a candidate hears when the model writes these fields, and what is noted of it. */
export function heard(fields: Readonly<Record<string, string>>, said: Said = {}): Heard {
  const gate = written(fields, said);
  const decision = gate.end();
  const { text, labels, touches, asked, pieces } = gate;
  return { decision, text, labels, touches, asked, pieces };
}

/** A gate that a model has written these fields into. */
export function written(fields: Readonly<Record<string, string>>, said: Said = {}): TestGate {
  const gate = new TestGate(said);
  const output = JSON.stringify({ sources: '', asks: '', about: '', touches: '', ...fields });
  for (const piece of output) gate.take(piece);
  return gate;
}
