import { type Chance, lettersOf } from '../storm/chance';
import type { ApiDocument, Operation } from './api-document';
import type { Exchange, FuzzRequest, HttpClient } from './http-client';
import type { Purpose, Report } from './report';
import { words } from './values';

/** A candidate of the fuzz, with what they have sent. */
export interface Person {
  /** Is in all that they send, so that it shows up wherever it should not. */
  readonly marker: string;
  readonly token: string;
  readonly conversationId: string;
  /** The client's ids of their messages. */
  readonly sent: string[];
  readonly files: string[];
  readonly voices: string[];
  /** The open item of the attention list about them. */
  attentionId: string | null;
  /** Known only of one who is about to be erased by the hiring team. */
  candidateId: string | null;
  /** Of a decision about them. */
  decisionId: string | null;
  /** Of an API key that was made to be revoked. */
  keyId: string | null;
  /** Of a vacancy that a program has made for them, and what it has made there. */
  program: Program | null;
  uses: number;
}

/** What the operations of programs are tried on, apart from the interviews of the others. */
interface Program {
  readonly slug: string;
  readonly invitationId: string;
  readonly importId: string;
  /** Of its file. */
  readonly version: string;
}

/** What the fuzz needs of a running application. */
export interface Target {
  readonly baseUrl: string;
  readonly adminToken: string;
  readonly telegramSecret: string;
  /** Open links: of an interview with many questions, and of one with a single question and a receipt. */
  readonly invite: string;
  readonly shortInvite: string;
  /** Rows of a statement. */
  readonly sql: (statement: string) => Promise<readonly Record<string, unknown>[]>;
}

export interface Call {
  readonly person?: Person | null;
  readonly token?: string;
  readonly params?: Readonly<Record<string, string>>;
  /** With its question mark. */
  readonly query?: string;
  readonly json?: unknown;
  readonly upload?: { readonly type: string; readonly bytes: Buffer };
  readonly expected?: readonly number[];
}

const PDF_HEAD = '%PDF-1.7\n1 0 obj<<>>endobj\n';
/** Attempts to find the interview finished, and the pause between them. */
const ATTEMPTS = 200;
const ATTEMPT_MS = 50;
/** After this many people a marker repeats. */
const MAX_PEOPLE = 26 ** 6;

/** Makes valid calls as a candidate or the hiring team, each judged like every other request. */
export class People {
  private made = 0;
  private disclosure: string | null = null;

  constructor(
    private readonly around: {
      readonly document: ApiDocument;
      readonly client: HttpClient;
      readonly report: Report;
      readonly chance: Chance;
      readonly target: Target;
      /** Keeps the markers of this fuzzer apart from those of the others. */
      readonly fuzzer: number;
    },
  ) {}

  async send(operation: Operation, request: FuzzRequest, purpose: Purpose): Promise<Exchange> {
    const exchange = await this.around.client.exchange(request);
    this.around.report.judge(operation, exchange, purpose);
    return exchange;
  }

  /** A valid call; resolves with the JSON of the response, or with null when it has none. */
  async call<Body = unknown>(name: string, call: Call = {}): Promise<Body | null> {
    const { document, target } = this.around;
    const { person = null, params = {}, query = '', json, upload, expected } = call;
    const operation = document.operation(name);
    const token = call.token ?? (operation.needs === 'admin' ? target.adminToken : person?.token);
    const path = operation.path.replace(/\{(\w+)\}/g, (_, of: string) => params[of] ?? 'missing');
    const body = upload?.bytes ?? (json === undefined ? null : Buffer.from(JSON.stringify(json)));
    const type = upload?.type ?? 'application/json';
    const request = {
      method: operation.method,
      target: path + query,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === null ? {} : { 'content-type': type, 'content-length': String(body.length) }),
      },
      body,
    };
    // A call that must be refused does not count as a valid request.
    const isValid = expected === undefined || expected.every((status) => status < 400);
    const kind = isValid ? 'valid' : 'sequence';
    const purpose = { kind, owner: person?.marker ?? null };
    const exchange = await this.send(
      operation,
      request,
      expected === undefined ? purpose : { ...purpose, expected },
    );
    return jsonOf(exchange) as Body | null;
  }

  newMarker(): string {
    const { fuzzer } = this.around;
    const number = (fuzzer * 1_000_000 + this.made) % MAX_PEOPLE;
    this.made += 1;
    return `zq${lettersOf(number)}qz`;
  }

  /** A candidate who has opened the link and agreed to nothing. */
  async arrive(invite = this.around.target.invite): Promise<Person> {
    const begun = await this.call<{ conversationId: string; sessionToken: string }>(
      'POST /api/v1/sessions',
      { json: { invite }, expected: [201] },
    );
    if (begun === null) throw new Error('a candidate got no session');
    const { conversationId, sessionToken: token } = begun;
    const lists = { sent: [], files: [], voices: [] };
    const marker = this.newMarker();
    return {
      marker,
      token,
      conversationId,
      ...lists,
      attentionId: null,
      candidateId: null,
      decisionId: null,
      keyId: null,
      program: null,
      uses: 0,
    };
  }

  /** A candidate whose interview has begun. */
  async begin(invite?: string): Promise<Person> {
    const person = await this.arrive(invite);
    await this.call('POST /api/v1/conversation/consent', {
      person,
      json: { version: await this.versionFor(person), accepted: true },
      expected: [200],
    });
    await this.call('POST /api/v1/conversation/profile', {
      person,
      json: { name: `Ada ${person.marker}`, contact: `${person.marker}@example.org` },
      expected: [200],
    });
    return person;
  }

  /** The same, who has sent a text, a file and a voice message. */
  async beginAndSend(): Promise<Person> {
    const person = await this.begin();
    await this.write(person);
    await this.attach(person);
    await this.speak(person);
    return person;
  }

  async write(person: Person, expected: readonly number[] = [202]): Promise<void> {
    const id = this.newId(person);
    const text = `${words(this.around.chance)} ${person.marker}`;
    await this.call('POST /api/v1/conversation/messages', { person, json: { id, text }, expected });
  }

  /** Resolves with the bytes that were sent. */
  async attach(person: Person): Promise<Buffer> {
    const bytes = Buffer.from(`${PDF_HEAD}% ${person.marker}\ntrailer<<>>\n%%EOF\n`);
    const accepted = await this.call<{ messageId: string }>('POST /api/v1/conversation/files', {
      person,
      query: `?id=${this.newId(person)}&name=${person.marker}.pdf`,
      upload: { type: 'application/pdf', bytes },
      expected: [202],
    });
    if (accepted !== null) person.files.push(accepted.messageId);
    return bytes;
  }

  async speak(person: Person): Promise<void> {
    const accepted = await this.call<{ messageId: string }>('POST /api/v1/conversation/voice', {
      person,
      query: `?id=${this.newId(person)}&duration=2.5`,
      upload: { type: 'audio/webm', bytes: Buffer.from(`webm ${person.marker}`) },
      expected: [202],
    });
    if (accepted !== null) person.voices.push(accepted.messageId);
  }

  /** A candidate who waits for a person, with the item of the attention list. */
  async handOver(): Promise<Person> {
    const person = await this.begin();
    await this.call('POST /api/v1/conversation/human', { person, expected: [202] });
    const [row] = await this.around.target.sql(
      `select id::text from attention where closed_at is null and conversation_id = '${person.conversationId}'`,
    );
    const id = row?.['id'];
    if (typeof id === 'string') person.attentionId = id;
    return person;
  }

  /** A candidate whose id as a person is known. */
  async identified(): Promise<Person> {
    const person = await this.begin();
    const [row] = await this.around.target.sql(
      `select candidate_id::text as id from conversation where id = '${person.conversationId}'`,
    );
    return { ...person, candidateId: String(row?.['id']) };
  }

  /** A candidate about whom a person has decided. */
  async decided(): Promise<Person> {
    const person = await this.begin();
    const [row] = await this.around.target.sql(
      `insert into decision (candidate_id, decided_by, reason, decided_at, is_adverse)
       select candidate_id, 'Nora', 'A reason.', clock_timestamp(), false
       from conversation where id = '${person.conversationId}' returning id::text`,
    );
    return { ...person, decisionId: String(row?.['id']) };
  }

  /** A candidate who has answered the only question of their interview. */
  async finish(): Promise<Person> {
    const person = await this.begin(this.around.target.shortInvite);
    await this.write(person);
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      await new Promise((resolve) => setTimeout(resolve, ATTEMPT_MS));
      const [row] = await this.around.target.sql(
        `select status from conversation where id = '${person.conversationId}'`,
      );
      if (row?.['status'] === 'completed') return person;
    }
    throw new Error('an interview with one question was not completed by its answer');
  }

  newId(person: Person): string {
    const id = `m-${String(person.sent.length)}`;
    person.sent.push(id);
    return id;
  }

  async versionFor(person: Person): Promise<string> {
    if (this.disclosure === null) {
      const view = await this.call<{ disclosure: { version: string } }>(
        'GET /api/v1/conversation',
        { person, expected: [200] },
      );
      this.disclosure = view?.disclosure.version ?? null;
    }
    return this.disclosure ?? '';
  }
}

export function jsonOf(exchange: Exchange): unknown {
  if (exchange.kind !== 'responded' || !exchange.response.type.includes('json')) return null;
  try {
    return JSON.parse(exchange.response.body.toString('utf8')) as unknown;
  } catch {
    return null;
  }
}
