import { randomUUID } from 'node:crypto';
import { BufferService } from '../../src/buffer';
import type { InterviewProcess } from './interview-process';
import type { TurnFixture } from './turn-fixture';

export interface TurnLine {
  readonly role: 'user' | 'assistant' | 'system';
  readonly text: string;
  readonly partial: boolean;
}

export interface StoredTurn {
  readonly id: string;
  readonly flush_id: string;
  readonly buffer_id: string;
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

export interface StoredJob {
  readonly id: string;
  readonly state: string;
  readonly failures: number;
  readonly claim_no: number;
  readonly due_at: Date | null;
  readonly last_error: string | null;
}

/** One conversation, and everything that is stored of it. */
export class TurnCandidate {
  constructor(
    private readonly fixture: TurnFixture,
    readonly id: string,
    private readonly note: (text: string) => void,
  ) {}

  /** Sends messages; answers the buffer that took the last one. */
  async say(...texts: readonly string[]): Promise<string> {
    let bufferId = '';
    for (const text of texts) {
      this.note(text);
      const { interviews } = this.fixture.main;
      const message = { conversationId: this.id, channel: 'web', text } as const;
      const received = await this.fixture.main.commit((tx) =>
        interviews.receive(tx, { ...message, externalId: randomUUID() }),
      );
      bufferId = received.bufferId;
    }
    return bufferId;
  }

  /** Changes the text of the first message that was said. */
  async edit(text: string): Promise<void> {
    this.note(text);
    const { main } = this.fixture;
    const [first] = await this.fixture.sql<{ externalId: string }>(
      `select external_id as "externalId" from message
       where conversation_id = $1 and role = 'user' order by seq limit 1`,
      [this.id],
    );
    const { externalId } = first ?? { externalId: '' };
    const message = { conversationId: this.id, channel: 'web', externalId, text } as const;
    await main.commit((tx) => main.get(BufferService).edit(tx, message));
  }

  /** Answers and waits for the reply. */
  async answer(...texts: readonly string[]): Promise<string> {
    const bufferId = await this.say(...texts);
    this.fixture.pause();
    await this.fixture.main.work();
    return bufferId;
  }

  /** Says something and lets a process begin to reply: the model has the request. */
  async start(process: InterviewProcess, ...texts: readonly string[]): Promise<string> {
    const { model } = this.fixture;
    const asked = model.requests.length;
    const bufferId = await this.say(...texts);
    this.fixture.pause();
    await process.pass();
    await model.request(asked + 1);
    return bufferId;
  }

  async stop(process = this.fixture.main): Promise<void> {
    await process.commit((tx) => process.interviews.requestStop(tx, this.id));
  }

  async withdraw(process = this.fixture.main): Promise<void> {
    await process.commit((tx) => process.interviews.withdraw(tx, this.id));
  }

  async askForPerson(process = this.fixture.main): Promise<void> {
    await process.commit((tx) => process.interviews.handOver(tx, this.id));
  }

  lines(): Promise<TurnLine[]> {
    return this.fixture.sql<TurnLine>(
      `select role, text, partial from message
       where conversation_id = $1 and role <> 'event' order by seq`,
      [this.id],
    );
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
    return this.fixture.sql('select * from turn where conversation_id = $1 order by id', [this.id]);
  }

  jobs(): Promise<StoredJob[]> {
    return this.fixture.sql(`select * from job where queue = 'flush' and key = $1 order by id`, [
      this.id,
    ]);
  }

  /** Outcomes of all HTTP requests to the model, oldest first. */
  async attempts(): Promise<string[]> {
    const rows = await this.fixture.sql<{ outcome: string }>(
      `select a.outcome from llm_attempt a join llm_request r on r.id = a.request_id
       join turn t on t.flush_id = r.flush_id where t.conversation_id = $1 order by a.id`,
      [this.id],
    );
    return rows.map(({ outcome }) => outcome);
  }

  /** Logical requests: rows of the ledger. */
  async requests(): Promise<number> {
    const rows = await this.fixture.sql(
      `select 1 from llm_request r join turn t on t.flush_id = r.flush_id
       where t.conversation_id = $1`,
      [this.id],
    );
    return rows.length;
  }

  async attention(): Promise<{ kind: string; closed: boolean; id: string }[]> {
    return this.fixture.sql(
      `select id, kind, closed_at is not null as closed from attention
       where conversation_id = $1 order by id`,
      [this.id],
    );
  }

  async state(): Promise<{
    status: string;
    interview_step: number;
    question: number;
    pushedBack: boolean;
    metadata: Record<string, unknown>;
    metadata_version: number;
  }> {
    const [row] = await this.fixture.sql<Awaited<ReturnType<TurnCandidate['state']>>>(
      `select status, interview_step, (state ->> 'questionIndex')::int as question,
         (state ->> 'pushedBack')::bool as "pushedBack", metadata, metadata_version
       from conversation where id = $1`,
      [this.id],
    );
    if (row === undefined) throw new Error('the conversation is gone');
    return row;
  }

  /** Messages that still wait for a reply. */
  async waiting(): Promise<string[]> {
    const rows = await this.fixture.sql<{ text: string }>(
      `select text from message
       where conversation_id = $1 and role = 'user' and cleared_at is null order by seq`,
      [this.id],
    );
    return rows.map(({ text }) => text);
  }
}
