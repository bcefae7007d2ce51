import { randomUUID } from 'node:crypto';
import { BufferService } from '../../src/buffer';
import { InterviewService, InterviewStart, Takeovers } from '../../src/interview';
import type { TestApp } from '../support/app';
import type { JobRow } from '../support/jobs';
import { noteWritten, pause, work } from './interviews';

export interface TurnLine {
  readonly role: 'user' | 'assistant' | 'system';
  readonly text: string;
  readonly partial: boolean;
}

export interface StoredTurn {
  readonly id: string;
  readonly answer_id: string;
  readonly state: string;
  readonly interview_step: number;
  readonly epoch: number;
  readonly verdict: string | null;
  readonly reply_text: string | null;
  readonly partial: boolean;
  readonly message_count: number;
  readonly merged_into: string | null;
  readonly error: string | null;
  readonly completed_at: Date | null;
}

interface StoredState {
  readonly status: string;
  readonly interview_step: number;
  readonly question: number;
  readonly pushedBack: boolean;
  readonly metadata: Record<string, unknown>;
  readonly metadata_version: number;
}

/** One conversation on the web: what its candidate does, and everything that is stored about it. */
export class Interviewee {
  constructor(
    private readonly app: TestApp,
    readonly id: string,
    /** Gets every text that the candidate writes. */
    private readonly note: (text: string) => void,
  ) {}

  /** Sends messages. Returns the buffer of the last one. */
  async say(...texts: readonly string[]): Promise<string> {
    let answerId = '';
    for (const text of texts) {
      this.note(text);
      const message = { conversationId: this.id, channel: 'web', text } as const;
      const received = await this.app.commit((tx) =>
        this.app.get(BufferService).append(tx, { ...message, externalId: randomUUID() }),
      );
      answerId = received.answerId;
    }
    return answerId;
  }

  /** Changes the text of the first message. */
  async edit(text: string): Promise<void> {
    this.note(text);
    const [first] = await this.app.sql<{ externalId: string }>(
      `select external_id as "externalId" from message
       where conversation_id = $1 and role = 'user' order by seq limit 1`,
      [this.id],
    );
    const { externalId } = first ?? { externalId: '' };
    const message = { conversationId: this.id, channel: 'web', externalId, text } as const;
    await this.app.commit((tx) => this.app.get(BufferService).edit(tx, message));
  }

  /** Sends messages and waits until their turn is over. Returns the buffer. */
  async answer(...texts: readonly string[]): Promise<string> {
    const answerId = await this.say(...texts);
    // What is done about a long answer locks its row, and a pass leaves out what is locked.
    if (texts.length > 1) await work(this.app);
    pause(this.app);
    await work(this.app);
    return answerId;
  }

  /** Sends messages and lets `replica` begin their turn, until the model has the request. */
  async start(replica: TestApp, ...texts: readonly string[]): Promise<string> {
    const { model } = this.app;
    const requested = model.requests.length;
    const answerId = await this.say(...texts);
    pause(this.app);
    await replica.worker.tick();
    await model.request(requested + 1);
    return answerId;
  }

  async stop(replica = this.app): Promise<void> {
    await replica.commit((tx) => replica.get(InterviewService).requestStop(tx, this.id));
  }

  async withdraw(replica = this.app): Promise<void> {
    await replica.commit((tx) => replica.get(InterviewService).withdraw(tx, this.id));
  }

  async askForPerson(replica = this.app): Promise<void> {
    await replica.commit((tx) => replica.get(Takeovers).requestPerson(tx, this.id));
  }

  lines(): Promise<TurnLine[]> {
    return this.rows(`select role, text, partial from message
      where conversation_id = $1 and role <> 'event' order by seq`);
  }

  /** The lines after the greeting and the first question. */
  async talk(): Promise<TurnLine[]> {
    return (await this.lines()).slice(2);
  }

  async replies(): Promise<string[]> {
    return (await this.talk()).filter(({ role }) => role === 'assistant').map(({ text }) => text);
  }

  async notices(): Promise<string[]> {
    return (await this.talk()).filter(({ role }) => role === 'system').map(({ text }) => text);
  }

  turns(): Promise<StoredTurn[]> {
    return this.rows('select * from turn where conversation_id = $1 order by id');
  }

  jobs(): Promise<JobRow[]> {
    return this.rows(`select * from job where queue = 'flush' and key = $1 order by id`);
  }

  /** Outcomes of all HTTP requests to the model, oldest first. */
  async attempts(): Promise<string[]> {
    const rows = await this.rows<{ outcome: string }>(
      `select a.outcome from llm_attempt a join llm_request r on r.id = a.request_id
       join turn t on r.subject = 'flush:' || t.answer_id where t.conversation_id = $1 order by a.id`,
    );
    return rows.map(({ outcome }) => outcome);
  }

  /** Rows of `llm_request`: logical requests. */
  async requests(): Promise<number> {
    const rows = await this.rows(`select 1 from llm_request r
      join turn t on r.subject = 'flush:' || t.answer_id where t.conversation_id = $1`);
    return rows.length;
  }

  attention(): Promise<{ kind: string; closed: boolean; id: string }[]> {
    return this.rows(`select id, kind, closed_at is not null as closed from attention
      where conversation_id = $1 order by id`);
  }

  state(): Promise<StoredState> {
    return this.app.one<StoredState>(
      `select status, interview_step, (state ->> 'questionIndex')::int as question,
         (state ->> 'pushedBack')::bool as "pushedBack", metadata, metadata_version
       from conversation where id = $1`,
      [this.id],
    );
  }

  /** Messages that have no delivered reply yet. */
  async waiting(): Promise<string[]> {
    const rows = await this.rows<{ text: string }>(`select text from message
      where conversation_id = $1 and role = 'user' and cleared_at is null order by seq`);
    return rows.map(({ text }) => text);
  }

  private rows<Row>(text: string): Promise<Row[]> {
    return this.app.sql<Row>(text, [this.id]);
  }
}

/** A candidate who has consented, has a name, and was asked the first question. */
export async function newCandidate(app: TestApp): Promise<Interviewee> {
  const candidate = await newStranger(app);
  const interviews = app.get(InterviewService);
  const consent = { version: await disclosureVersion(app), accepted: true };
  await app.commit((tx) => interviews.consent(tx, candidate.id, consent));
  const profile = { name: 'Ada', contact: 'ada@example.org' };
  await app.commit((tx) => interviews.profile(tx, candidate.id, profile));
  return candidate;
}

/** What candidates of the application's vacancy agree to. */
export function disclosureVersion(app: TestApp): Promise<string> {
  return app.commit((tx) => app.get(InterviewStart).disclosureVersion(tx, app.vacancy.id));
}

/** A candidate who has not consented to anything. */
export async function newStranger(app: TestApp): Promise<Interviewee> {
  const invite = { state: 'ok', kind: 'open', vacancy: app.vacancy } as const;
  const { id } = await app.commit((tx) => app.get(InterviewStart).begin(tx, invite));
  return new Interviewee(app, id, noteWritten);
}
