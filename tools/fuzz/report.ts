import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ApiDocument, Operation } from './api-document';
import { type Exchange, type FuzzRequest, asCurl } from './http-client';

/** The owner of a list of all candidates. */
export const EVERYBODY = 'everybody';

/** What a request was made for, and what follows for its response. */
export interface Purpose {
  /** How it was made: `valid`, or what was changed. */
  readonly kind: string;
  /** The marker of the candidate whose data may be in the response; null: nobody's; EVERYBODY: of all. */
  readonly owner: string | null;
  /** It has no right to what it asks for. */
  readonly mustBeRefused?: boolean;
  /** The statuses that are right at this place of a sequence of calls. */
  readonly expected?: readonly number[];
}

export interface Violation {
  readonly rule: string;
  readonly operation: string;
  readonly what: string;
  readonly kind: string;
  /** The request as a command. */
  readonly curl: string;
  /** How often the same was found. */
  times: number;
}

interface Counts {
  requests: number;
  valid: number;
  validSuccesses: number;
  readonly byClass: Record<string, number>;
}

/** In the data of each candidate is a marker of their own. */
export const MARKERS = /zq[a-z]{6}qz/g;
const STACK = /\n\s+at .+:\d+:\d+|node_modules[/\\]|[/\\]src[/\\]\w+[/\\]/;
/** A longer body may meet a connection that the server has closed after its refusal. */
const LONG_BODY = 200_000;
/** From this many valid requests on, an operation's success rate is checked. */
const ENOUGH_VALID = 5;
const LEAST_SUCCESSES = 0.2;
/**
 * Their passwords, links and sessions, with which people rate and decide, cannot be made from the document, so a
 * fuzz sees only how they refuse;
 * test/admin and test/access try the rest.
 */
const OF_PEOPLE =
  /^(\S+ \/api\/v1\/(team|users)(\/.*)?|POST .*\/(decisions|preview|retention\/run)|\S+ .*\/(ratings|comments)(\/\S+)?)$/;

/** Counts requests and successes, and judges each response. */
export class Report {
  readonly violations: Violation[] = [];
  requests = 0;
  private readonly counts = new Map<string, Counts>();

  constructor(
    private readonly document: ApiDocument,
    private readonly baseUrl: string,
    /** Where bodies of violations are stored. */
    private readonly folder: string,
  ) {
    for (const { name } of document.operations) this.countsOf(name);
  }

  judge(operation: Operation, exchange: Exchange, purpose: Purpose): void {
    this.count(operation, exchange, purpose);
    const { request } = exchange;
    const found = (rule: string, what: string): void => {
      this.add({ rule, what, operation: operation.name, kind: purpose.kind }, request);
    };
    if (exchange.kind === 'hang') {
      found('hang', 'there was no complete response in time');
      return;
    }
    if (exchange.kind === 'broken') {
      const isRefused = (request.body?.length ?? 0) > LONG_BODY;
      if (!isRefused) found('broken', `the connection ended with ${exchange.code}`);
      return;
    }
    const { response } = exchange;
    const { status } = response;
    const text = response.body.toString('utf8');
    if (status >= 500) found('server error', `status ${String(status)}: ${text.slice(0, 200)}`);
    const isDescribed = this.document.operations.includes(operation);
    const difference = isDescribed ? this.document.difference(operation, response) : null;
    if (difference !== null) found('off its schema', `${String(status)}: ${difference}`);
    const strange = (text.match(MARKERS) ?? []).find((marker) => marker !== purpose.owner);
    if (strange !== undefined && purpose.owner !== EVERYBODY)
      found('data of another candidate', `it has ${strange}`);
    if (purpose.mustBeRefused === true && status < 400) {
      found('let in', `status ${String(status)} without the right to it`);
    }
    if (status >= 400 && STACK.test(text)) found('stack', text.slice(0, 200));
    if (purpose.expected !== undefined && !purpose.expected.includes(status)) {
      const expected = purpose.expected.join(' or ');
      found('sequence', `status ${String(status)} instead of ${expected}: ${text.slice(0, 200)}`);
    }
  }

  /** An operation with too few valid requests to check its success rate; undefined when there is none. */
  hardlyTried(): Operation | undefined {
    return this.document.operations.find(({ name }) => this.countsOf(name).valid < ENOUGH_VALID);
  }

  /** Operations that were hardly ever used successfully: the rest of their requests says little. */
  addUntested(): void {
    for (const { name: operation } of this.document.operations) {
      if (OF_PEOPLE.test(operation)) continue;
      const { valid, validSuccesses } = this.countsOf(operation);
      if (valid >= ENOUGH_VALID && validSuccesses >= valid * LEAST_SUCCESSES) continue;
      const found = `${String(validSuccesses)} of ${String(valid)} valid requests were successful`;
      const percent = String(LEAST_SUCCESSES * 100);
      const needed = `at least ${String(ENOUGH_VALID)} requests and ${percent} % successes are needed`;
      const what = `${found}; ${needed}`;
      const curl = '(no single request)';
      this.violations.push({
        rule: 'hardly tested',
        operation,
        what,
        kind: 'valid',
        curl,
        times: 1,
      });
    }
  }

  /** Requests by operation and class of status, one line each. */
  lines(): string[] {
    const rows = [...this.counts].map(([name, { requests, valid, validSuccesses, byClass }]) => {
      const classes = ['2xx', '3xx', '4xx', '5xx', 'none'].map((one) => byClass[one] ?? 0);
      const share = valid === 0 ? '-' : `${((validSuccesses / valid) * 100).toFixed(0)} %`;
      return [name, requests, ...classes, share];
    });
    const head = ['operation', 'requests', '2xx', '3xx', '4xx', '5xx', 'none', 'valid → 2xx'];
    return [head, ...rows].map(([name, ...figures]) =>
      [String(name).padEnd(66), ...figures.map((figure) => String(figure).padStart(8))].join(' '),
    );
  }

  /** Of all requests. */
  get successShare(): number {
    let successes = 0;
    for (const { byClass } of this.counts.values()) successes += byClass['2xx'] ?? 0;
    return this.requests === 0 ? 0 : successes / this.requests;
  }

  private count(operation: Operation, exchange: Exchange, { kind }: Purpose): void {
    this.requests += 1;
    const status = exchange.kind === 'responded' ? exchange.response.status : 0;
    const of = this.countsOf(operation.name);
    const name = status === 0 ? 'none' : `${String(Math.floor(status / 100))}xx`;
    of.requests += 1;
    of.byClass[name] = (of.byClass[name] ?? 0) + 1;
    if (kind !== 'valid') return;
    of.valid += 1;
    if (status >= 200 && status < 400) of.validSuccesses += 1;
  }

  private countsOf(name: string): Counts {
    let counts = this.counts.get(name);
    if (counts === undefined) {
      counts = { requests: 0, valid: 0, validSuccesses: 0, byClass: {} };
      this.counts.set(name, counts);
    }
    return counts;
  }

  /** The same rule, operation and beginning of the text is one violation. */
  private add(found: Omit<Violation, 'curl' | 'times'>, request: FuzzRequest): void {
    const known = this.violations.find(
      ({ rule, operation, what }) =>
        rule === found.rule && operation === found.operation && gistOf(what) === gistOf(found.what),
    );
    if (known !== undefined) {
      known.times += 1;
      return;
    }
    const curl = asCurl(this.baseUrl, request, this.store(request.body));
    this.violations.push({ ...found, curl, times: 1 });
  }

  private store(body: Buffer | null): string | null {
    if (body === null) return null;
    mkdirSync(this.folder, { recursive: true });
    const file = path.join(this.folder, `${String(this.violations.length + 1)}.body`);
    writeFileSync(file, body);
    return file;
  }
}

/** What is the same when another candidate, or another text, shows the same mistake. */
function gistOf(what: string): string {
  return what.replaceAll(MARKERS, 'marker').slice(0, 60);
}
