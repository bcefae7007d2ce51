import type { Chance } from '../storm/chance';
import type { ApiDocument, Operation, Parameter } from './api-document';
import type { FuzzRequest } from './http-client';
import type { People, Person, Target } from './people';
import { jsonOf } from './people';
import { EVERYBODY, type Purpose, type Report } from './report';
import { SEQUENCES } from './sequences';
import { Updates, undocumentedRequest } from './undocumented';
import {
  type Hint,
  MUTATIONS,
  Values,
  escaped,
  hostileParameter,
  hostileText,
  mutate,
  words,
} from './values';

/** Of a hundred requests: how many are sequences, valid, and with a wrong or another's token or id. */
const SEQUENCE_PERCENT = 4;
const VALID_PERCENT = 35;
const AUTH_PERCENT = 10;
/** One in this many goes to an address that the document leaves out. */
const UNDOCUMENTED_ONE_IN = 12;
/** A candidate is replaced after this many requests, so that no limit of a conversation is reached. */
const MOST_USES = 40;
const MAX_UPLOAD = 1_200_000;

type Prepare = (fuzzer: Fuzzer) => Promise<Person>;

/** Whose interview has to be in another state than "active", and calls after which it is over. */
const PREPARED: Readonly<Record<string, Prepare>> = {
  'GET /api/v1/conversation/receipt': (fuzzer) => fuzzer.finished(),
  'POST /api/v1/conversation/consent': (fuzzer) => fuzzer.people.arrive(),
  'POST /api/v1/conversation/profile': (fuzzer) => fuzzer.people.arrive(),
  'POST /api/v1/conversation/human': (fuzzer) => fuzzer.people.begin(),
  'POST /api/v1/conversation/resume': (fuzzer) => fuzzer.people.handOver(),
  'POST /api/v1/conversation/withdraw': (fuzzer) => fuzzer.people.begin(),
  'POST /api/v1/conversation/forget': (fuzzer) => fuzzer.people.begin(),
  'DELETE /api/v1/sessions/current': (fuzzer) => fuzzer.people.begin(),
  'POST /api/v1/admin/candidates/{id}/erase': (fuzzer) => fuzzer.people.identified(),
  'POST /api/v1/admin/attention/{id}/replay': (fuzzer) => fuzzer.replayable(),
  'POST /api/v1/keys/{id}/revoke': (fuzzer) => fuzzer.withKey(),
  'GET /api/v1/admin/candidates/{id}': (fuzzer) => fuzzer.people.identified(),
  'GET /api/v1/admin/candidates/{id}/export': (fuzzer) => fuzzer.people.identified(),
  'GET /api/v1/decisions/{id}': (fuzzer) => fuzzer.people.decided(),
  'POST /api/v1/decisions/{id}/export': (fuzzer) => fuzzer.people.decided(),
};
/** What is done with an item needs an open one. */
const OF_ITEMS = /\/admin\/attention\/\{id\}/;
/** Operations of programs on one vacancy, invitation or import: each gets one of its own. */
const OF_PROGRAMS = /^\/api\/v1\/(vacancies\/\{slug\}|invitations\/|invitation-imports\/)/;
/** After these nothing of a candidate can be used any more. */
const ENDING = /\/(forget|withdraw|sessions\/current)$/;
/** These lists have no words of candidates, so that no marker may be in them. */
const OF_NOBODY = new Set(['GET /api/v1/keys', 'GET /api/v1/audit/export']);
/** These lists have the names of all candidates. */
const OF_EVERYBODY = new Set([
  'GET /api/v1/interviews',
  'GET /api/v1/interviews/export',
  'GET /api/v1/interviews/waiting',
  'GET /api/v1/invitations',
  'GET /api/v1/admin/attention',
  'GET /api/v1/admin/candidates',
  'GET /api/v1/audit',
]);
const KEYS = '/api/v1/keys';
const VACANCIES = '/api/v1/vacancies';
const DOCUMENT = 'ovens.md';
/** A key ends so long after the request that makes it. */
const KEY_LIFE_MS = 30 * 24 * 3_600_000;

/** One sequence of requests that depends on its part of the seed and on the responses alone. */
export class Fuzzer {
  private readonly values: Values;
  private current: Person | null = null;
  private other: Person | null = null;
  private done: Person | null = null;
  private readonly updates: Updates;
  private turn: number;

  constructor(
    private readonly document: ApiDocument,
    readonly people: People,
    private readonly report: Report,
    private readonly target: Target,
    private readonly chance: Chance,
    number: number,
  ) {
    this.updates = new Updates(chance, number);
    this.values = new Values(document, chance);
    this.turn = chance.below(document.operations.length);
  }

  /** Sends requests until `isEnough`, and then valid ones of every operation that has had too few. */
  async run(isEnough: () => boolean): Promise<void> {
    while (!isEnough()) {
      const { chance } = this;
      const at = chance.below(100);
      if (at < SEQUENCE_PERCENT) await chance.pick(SEQUENCES)(this.people);
      else if (chance.below(UNDOCUMENTED_ONE_IN) === 0) await this.undocumented();
      else await this.documented(this.next());
    }
    for (;;) {
      const operation = this.report.hardlyTried();
      if (operation === undefined) return;
      await this.valid(operation);
    }
  }

  /** A candidate whose interview is completed. */
  async finished(): Promise<Person> {
    this.done ??= await this.people.finish();
    return this.done;
  }

  /** A candidate with an attention item that can be replayed: an update of Telegram that failed. */
  async replayable(): Promise<Person> {
    const person = await this.active();
    const update = this.updates.next();
    const subject = `telegram-update:1:${String(update.update_id)}`;
    const payload = JSON.stringify(update).replaceAll("'", "''");
    await this.target.sql(
      `insert into telegram_update (bot_id, update_id, chat_id, state, payload, received_at)
       values (1, ${String(update.update_id)}, ${String(update.message.chat.id)}, 'dead', '${payload}', now())`,
    );
    const [row] = await this.target.sql(
      `insert into attention (kind, subject, reason)
       values ('dead', '${subject}', 'it failed') returning id::text`,
    );
    return { ...person, attentionId: String(row?.['id']) };
  }

  /** A candidate, and an API key that can be revoked. */
  async withKey(): Promise<Person> {
    const json = { name: this.newKeyName(), scopes: ['interviews:read'] };
    const made = await this.people.call<{ id: string }>(`POST ${KEYS}`, { json, expected: [201] });
    return { ...(await this.active()), keyId: made?.id ?? null };
  }

  private personFor(operation: Operation): Promise<Person> {
    const prepared = PREPARED[operation.name];
    if (prepared !== undefined) return prepared(this);
    if (OF_ITEMS.test(operation.path)) return this.people.handOver();
    return OF_PROGRAMS.test(operation.path) ? this.withProgram() : this.active();
  }

  /** A candidate, and a vacancy with an invitation and an import that no other request knows. */
  async withProgram(): Promise<Person> {
    const slug = this.newSlug();
    const [json, expected] = [vacancyFile(slug), [201]];
    await this.people.call(`POST ${VACANCIES}`, { json, expected });
    const params = { slug };
    const invitation = await this.people.call<{ id: string }>(
      `POST ${VACANCIES}/{slug}/invitations`,
      { params, json: { name: 'Carol' }, expected },
    );
    const imported = await this.people.call<{ id: string }>(
      `POST ${VACANCIES}/{slug}/invitation-imports`,
      { params, json: [{ name: 'Bob' }], expected: [202] },
    );
    await this.people.call(`PUT ${VACANCIES}/{slug}/documents/{name}`, {
      params: { slug, name: DOCUMENT },
      upload: { type: 'text/markdown', bytes: Buffer.from('# Ovens') },
      expected: [200],
    });
    const versions = await this.people.call<{ items: { version: string }[] }>(
      `GET ${VACANCIES}/{slug}/versions`,
      { params, expected: [200] },
    );
    const [invitationId, importId] = [invitation?.id ?? '', imported?.id ?? ''];
    const version = versions?.items[0]?.version ?? '';
    return { ...(await this.active()), program: { slug, invitationId, importId, version } };
  }

  private newSlug(): string {
    return `fuzz-${String(this.chance.below(1_000_000_000))}`;
  }

  /** The body of an operation whose schema says too little for a valid one. */
  private bodyFor({ name }: Operation, { marker, program }: Person): unknown {
    switch (name) {
      case `POST ${VACANCIES}`:
      case `POST ${VACANCIES}/validate`:
        return vacancyFile(this.newSlug());
      case `PUT ${VACANCIES}/{slug}/file`:
        return vacancyFile(program?.slug ?? 'none');
      case `POST ${VACANCIES}/{slug}/invitations`:
        return { name: marker };
      case `POST ${VACANCIES}/{slug}/invitation-imports`:
        return [{ name: marker }];
      case 'POST /api/v1/invitations/{id}/reissue':
      case 'POST /api/v1/admin/attention/{id}/claim':
      case 'POST /api/v1/admin/attention/{id}/take-over':
      case 'POST /api/v1/interviews/{id}/take-over':
        return {};
      default:
        return undefined;
    }
  }

  /** The name of a key is used once, and lists show it: it has no marker. */
  private newKeyName(): string {
    return `fuzz-${String(this.chance.below(1_000_000_000))}`;
  }

  private async active(): Promise<Person> {
    if (this.current === null || this.current.uses >= MOST_USES) {
      this.other = this.current ?? (await this.people.beginAndSend());
      this.current = await this.people.beginAndSend();
    }
    this.current.uses += 1;
    return this.current;
  }

  private async undocumented(): Promise<void> {
    const { chance, target } = this;
    const [operation, request] = undocumentedRequest(chance, this.updates.next(), target);
    await this.people.send(operation, request, { kind: 'undocumented', owner: null });
  }

  /** The operations in turn, so that none is left to chance. */
  private next(): Operation {
    const { operations } = this.document;
    const operation = operations[this.turn % operations.length];
    this.turn += 1;
    if (operation === undefined) throw new Error('the document has no operation');
    return operation;
  }

  private async documented(operation: Operation): Promise<void> {
    const { chance } = this;
    const at = chance.below(100);
    if (at < VALID_PERCENT) {
      await this.valid(operation);
      return;
    }
    const isOfItem = OF_ITEMS.test(operation.path);
    const person = isOfItem ? await this.people.handOver() : await this.active();
    if (at < VALID_PERCENT + AUTH_PERCENT) await this.withoutRight(operation, person);
    else await this.changed(operation, person);
  }

  private async valid(operation: Operation): Promise<void> {
    const person = await this.personFor(operation);
    const request = await this.requestOf(operation, person);
    const owner = ownerOf(operation, person);
    const exchange = await this.people.send(operation, request, { kind: 'valid', owner });
    if (exchange.kind !== 'responded' || exchange.response.status >= 300) return;
    const { messageId } = (jsonOf(exchange) ?? {}) as { messageId?: string };
    if (messageId === undefined) return;
    if (operation.path.endsWith('/files')) person.files.push(messageId);
    if (operation.path.endsWith('/voice')) person.voices.push(messageId);
  }

  /** Without a token, with a wrong one, with one for something else, or for the data of another. */
  private async withoutRight(operation: Operation, person: Person): Promise<void> {
    const { chance, target } = this;
    const request = await this.requestOf(operation, person);
    const shownBefore = ['authorization', 'cookie', 'sec-fetch-site'];
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => !shownBefore.includes(name)),
    );
    const foreign = operation.needs === 'admin' ? person.token : target.adminToken;
    const tokens: Readonly<Record<string, string>>[] = [
      {},
      { authorization: `Bearer ${foreign}` },
      { authorization: `Bearer ${person.token.slice(0, -1)}` },
      { authorization: `Bearer ${'x'.repeat(chance.below(3000))}` },
      { authorization: 'Bearer' },
      { authorization: `Basic ${Buffer.from(`a:${person.token}`).toString('base64')}` },
      { cookie: `colloquy_session=${hostileParameter(chance)}` },
      // A page of another site sends the cookie as well.
      ...(operation.method === 'GET'
        ? []
        : [{ cookie: `colloquy_session=${person.token}`, origin: 'https://evil.example' }]),
    ];
    const isOthers = operation.needs !== null && chance.below(3) === 0;
    if (isOthers && this.other !== null && operation.path.includes('{messageId}')) {
      const params = { ...this.paramsOf(operation, this.other), id: this.idFor(operation, person) };
      const purpose = { kind: 'of another', owner: person.marker, mustBeRefused: true };
      const foreignTarget = { ...request, target: this.pathOf(operation, params) };
      await this.people.send(operation, foreignTarget, purpose);
      return;
    }
    const purpose = { kind: 'no right', owner: null, mustBeRefused: operation.needs !== null };
    const shown = { ...request, headers: { ...headers, ...chance.pick(tokens) } };
    await this.people.send(operation, shown, purpose);
  }

  /** A valid request with one thing changed. */
  private async changed(operation: Operation, person: Person): Promise<void> {
    const { chance } = this;
    const owner = ownerOf(operation, person);
    const valid = await this.requestOf(operation, person);
    const json = operation.requestBody?.content['application/json'];
    const parameters = operation.parameters ?? [];
    if (json !== undefined && chance.below(6) > 0) {
      const how = chance.pick(MUTATIONS);
      const value =
        this.bodyFor(operation, person) ??
        this.values.valid(json.schema, await this.hintFor(operation, person));
      const body = Buffer.from(mutate(value, how, chance));
      const headers = { ...valid.headers, 'content-length': String(body.length) };
      await this.sendChanged(operation, { ...valid, headers, body }, { kind: how, owner });
    } else if (parameters.length > 0 && chance.below(4) > 0) {
      const target = this.changedTarget(operation, person, chance.pick(parameters));
      await this.sendChanged(operation, { ...valid, target }, { kind: 'parameter', owner });
    } else {
      const [kind, request] = this.changedEnvelope(valid);
      await this.sendChanged(operation, request, { kind, owner });
    }
  }

  private async sendChanged(
    operation: Operation,
    request: FuzzRequest,
    purpose: Purpose,
  ): Promise<void> {
    const exchange = await this.people.send(operation, request, purpose);
    const isDone = exchange.kind === 'responded' && exchange.response.status < 300;
    if (isDone && ENDING.test(operation.path)) this.current = null;
  }

  private changedTarget(operation: Operation, person: Person, parameter: Parameter): string {
    const { chance } = this;
    const params = this.paramsOf(operation, person);
    const hostile = chance.below(3) === 0 ? escaped(hostileText(chance)) : hostileParameter(chance);
    if (parameter.in === 'path') {
      return this.pathOf(operation, { ...params, [parameter.name]: hostile });
    }
    const path = this.pathOf(operation, params);
    const { name } = parameter;
    const query = chance.pick([
      `${name}=${hostile}`,
      `${name}=${hostile}&${name}=2`,
      `${name}[]=1&${name}[]=2`,
      `${name}[__proto__]=1`,
      name,
      `=&&&${name}==${hostile}`,
      `${hostile}=${name}`,
    ]);
    return `${path}?${query}`;
  }

  /** Its type, its length, its headers, its method or its body where there should be none. */
  private changedEnvelope(valid: FuzzRequest): [kind: string, FuzzRequest] {
    const { chance } = this;
    const { headers } = valid;
    const type = chance.pick([
      'text/plain',
      'application/json; charset=utf-16',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/octet-stream',
      'audio/webm',
      'a/b/c;;;',
      'application/JSON',
    ]);
    const extra: Readonly<Record<string, string>> = chance.pick([
      { 'last-event-id': hostileParameter(chance) },
      { 'last-event-id': `${String(chance.below(1e9))}.${'9'.repeat(chance.below(30))}.1` },
      { range: 'bytes=5-1,-9' },
      { 'x-forwarded-for': '::1, 127.0.0.1' },
      { 'x-forwarded-host': 'evil.example' },
      { 'x-http-method-override': 'DELETE' },
      { traceparent: '00-ffffffffffffffffffffffffffffffff-ffffffffffffffff-01' },
      { accept: 'application/xml' },
      { 'accept-language': 'x'.repeat(4000) },
      { cookie: 'a=%; b="; =; colloquy_session' },
      { 'if-none-match': '*' },
      { origin: 'null' },
    ]);
    switch (chance.below(4)) {
      case 0:
        return ['media type', { ...valid, headers: { ...headers, 'content-type': type } }];
      case 1: {
        const body = Buffer.alloc(chance.below(MAX_UPLOAD), chance.below(256));
        const length = { 'content-length': String(body.length) };
        const given = { 'content-type': 'application/json', ...headers, ...length };
        return ['other body', { ...valid, headers: given, body }];
      }
      default:
        return ['header', { ...valid, headers: { ...headers, ...extra } }];
    }
  }

  private async requestOf(operation: Operation, person: Person): Promise<FuzzRequest> {
    const { chance, target } = this;
    const { method, needs } = operation;
    const json = operation.requestBody?.content['application/json'];
    const types = Object.keys(operation.requestBody?.content ?? {});
    let body: Buffer | null = null;
    let type = '';
    if (json !== undefined) {
      const value =
        this.bodyFor(operation, person) ??
        this.values.valid(json.schema, await this.hintFor(operation, person));
      body = Buffer.from(JSON.stringify(value));
      type = 'application/json';
    } else if (types.length > 0) {
      type = chance.pick(types);
      const rest = ` ${person.marker} ${'.'.repeat(chance.below(5000))}`;
      body = operation.path.endsWith('/logo')
        ? Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')
        : Buffer.from(`${operation.path.endsWith('/files') ? '%PDF-1.7\n' : 'audio'}${rest}`);
    }
    const token = needs === 'admin' ? target.adminToken : person.token;
    // A browser sends its cookie, from the page's own site.
    const isBrowser = needs === 'session' && chance.below(8) === 0;
    const shown = isBrowser
      ? { cookie: `colloquy_session=${token}`, 'sec-fetch-site': 'same-origin' }
      : { authorization: `Bearer ${token}` };
    const headers = {
      ...(needs === null ? {} : shown),
      ...(method === 'PUT' ? { 'if-match': '*' } : {}),
      ...(body === null ? {} : { 'content-type': type, 'content-length': String(body.length) }),
    };
    const path = this.pathOf(operation, this.paramsOf(operation, person));
    return { method, target: path + this.queryOf(operation, person), headers, body };
  }

  private queryOf(operation: Operation, person: Person): string {
    const query = new URLSearchParams();
    for (const parameter of operation.parameters ?? []) {
      const { name, required = false, schema } = parameter;
      if (parameter.in !== 'query' || (!required && this.chance.below(2) === 0)) continue;
      const hinted = name === 'id' ? this.people.newId(person) : undefined;
      query.set(name, String(hinted ?? this.values.valid(schema, () => undefined)));
    }
    return query.size === 0 ? '' : `?${query.toString()}`;
  }

  private async hintFor(operation: Operation, person: Person): Promise<Hint> {
    const { chance, people, target } = this;
    const version = await people.versionFor(person);
    let ids = 0;
    const said = (): string => `${words(chance)} ${person.marker}`;
    const isAdmin = operation.needs === 'admin';
    return (name) => {
      switch (name) {
        case 'invite':
          return target.invite;
        case 'version':
          return version;
        case 'confirm':
          return 'erase';
        case 'name':
          return operation.path === KEYS ? this.newKeyName() : person.marker;
        case 'expiresAt':
          return new Date(Date.now() + KEY_LIFE_MS).toISOString();
        case 'contact':
          return person.marker;
        case 'text':
          return isAdmin ? words(chance) : said();
        case 'type':
          return operation.path === '/api/chat' ? 'text' : undefined;
        case 'timeZone':
          return 'Europe/Berlin';
        case 'lastMessageId':
          return person.sent.at(-1);
        case 'id':
          ids += 1;
          return ids === 1 && operation.path === '/api/chat'
            ? person.conversationId
            : people.newId(person);
        default:
          return undefined;
      }
    };
  }

  private idFor({ path }: Operation, person: Person): string {
    if (path.includes('/attention/')) return person.attentionId ?? '1';
    if (path.startsWith(KEYS)) return person.keyId ?? person.conversationId;
    if (path.includes('/invitations/'))
      return person.program?.invitationId ?? person.conversationId;
    if (path.includes('/invitation-imports/')) return person.program?.importId ?? '1';
    if (path.startsWith('/api/v1/decisions/')) return person.decisionId ?? '1';
    if (path.includes('/candidates/')) return person.candidateId ?? person.conversationId;
    if (path.includes('/correction')) return person.voices.at(-1) ?? 'm-1';
    return person.conversationId;
  }

  private paramsOf(operation: Operation, person: Person): Readonly<Record<string, string>> {
    const sent = operation.path.includes('/voices/') ? person.voices : person.files;
    return {
      token: this.target.invite,
      slug: person.program?.slug ?? 'none',
      name: DOCUMENT,
      version: person.program?.version ?? 'none',
      id: this.idFor(operation, person),
      messageId: sent.at(-1) ?? person.conversationId,
    };
  }

  private pathOf({ path }: Operation, params: Readonly<Record<string, string>>): string {
    return path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? 'x');
  }
}

function ownerOf({ name }: Operation, { marker }: Person): string | null {
  if (OF_EVERYBODY.has(name)) return EVERYBODY;
  return OF_NOBODY.has(name) ? null : marker;
}

/** The file of a small vacancy. */
function vacancyFile(slug: string): object {
  const question = { id: 'last', text: 'What did you bake last?', rubric: 'A bread.' };
  const texts = { greeting: 'Hello.', closing: 'Thank you.', questions: [question] };
  return {
    slug,
    language: 'en',
    title: 'Cook',
    company: 'Crumb',
    owner: { name: 'Nora' },
    ...texts,
  };
}
