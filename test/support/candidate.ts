/** One line of a transcript as the API gives it. */
export interface Line {
  readonly id: string;
  readonly seq: number;
  readonly role: 'user' | 'assistant' | 'system';
  readonly contentType: 'TEXT' | 'VOICE' | 'FILE';
  readonly text: string;
  readonly partial?: true;
  readonly question?: { readonly id: string; readonly start: number };
  readonly notice?: string;
  readonly transcribing?: true;
  readonly file?: { readonly name: string; readonly state: string };
}

/** The fields of the response to `GET /conversation` that tests read. */
export interface View {
  readonly id: string;
  readonly status: string;
  readonly owner: string;
  readonly interviewStep: number;
  readonly progress: { readonly question: number; readonly of: number };
  readonly disclosure: { readonly version: string };
  readonly hasBuffer: boolean;
  readonly dueAt: string | null;
  readonly replying: boolean;
  readonly transcribing: number;
  readonly voice: boolean;
  readonly messages: readonly Line[];
}

/** The application that a candidate uses, in this process or in another one. */
export interface CandidateHost {
  readonly url: string;
  readonly vacancy: { readonly openToken: string };
}

const BUSY = 503;
const ASKED_AGAIN_MS = 250;
const MAX_ASKED = 40;

/** Repeats a request while the server responds that it is busy, because a test machine may stall. */
export async function patiently(ask: () => Promise<Response>): Promise<Response> {
  for (let asked = 1; ; asked += 1) {
    const response = await ask();
    if (response.status !== BUSY || asked === MAX_ASKED) return response;
    await response.arrayBuffer();
    await new Promise((resolve) => setTimeout(resolve, ASKED_AGAIN_MS));
  }
}

/** A candidate who uses the API by plain fetch. */
export class TestCandidate {
  private constructor(
    readonly app: CandidateHost,
    readonly conversationId: string,
    readonly token: string,
  ) {}

  /** Opens the vacancy's open link and stops before consent. */
  static async arrive(
    app: CandidateHost,
    invite = app.vacancy.openToken,
    mine?: { version: string },
  ): Promise<TestCandidate> {
    const response = await patiently(() =>
      fetch(`${app.url}/api/v1/sessions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ invite, mine }),
      }),
    );
    if (!response.ok) {
      throw new Error(`no session: ${String(response.status)} ${await response.text()}`);
    }
    const body = (await response.json()) as { conversationId: string; sessionToken: string };
    return new TestCandidate(app, body.conversationId, body.sessionToken);
  }

  /** Opens the link of an interview that is open elsewhere, and confirms that it is theirs. */
  static async claim(app: CandidateHost, invite: string): Promise<TestCandidate> {
    const shown = await patiently(() => fetch(`${app.url}/api/v1/invites/${invite}`));
    const { disclosure } = (await shown.json()) as { disclosure: View['disclosure'] };
    return TestCandidate.arrive(app, invite, { version: disclosure.version });
  }

  /** A candidate who has agreed, has given a name and was asked the first question. */
  static async begin(app: CandidateHost): Promise<TestCandidate> {
    const candidate = await TestCandidate.arrive(app);
    const { disclosure } = await candidate.view();
    const consent = { version: disclosure.version, accepted: true };
    await patiently(() => candidate.post('consent', consent));
    await patiently(() => candidate.post('profile', { name: 'Ada', contact: 'ada@example.org' }));
    return candidate;
  }

  /** The same candidate at another replica. */
  at(app: CandidateHost): TestCandidate {
    return new TestCandidate(app, this.conversationId, this.token);
  }

  get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
  }

  get(path: string, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
    return fetch(`${this.app.url}${path}`, {
      headers: { ...this.headers, ...headers },
      ...(signal === undefined ? {} : { signal }),
    });
  }

  /** Sends a POST to `/api/v1/conversation/<action>`. */
  post(action: string, body: unknown = {}): Promise<Response> {
    return fetch(`${this.app.url}/api/v1/conversation/${action}`, {
      method: 'POST',
      headers: this.headers,
      body: JSON.stringify(body),
    });
  }

  async view(): Promise<View> {
    const response = await patiently(() => this.get('/api/v1/conversation'));
    if (!response.ok) throw new Error(`no view: ${String(response.status)}`);
    return (await response.json()) as View;
  }

  send(id: string, text: string): Promise<Response> {
    return this.post('messages', { id, text });
  }

  /** Sends an audio as a browser does. */
  speak(id: string, audio: Uint8Array<ArrayBuffer>, type = 'audio/webm'): Promise<Response> {
    const place = `${this.app.url}/api/v1/conversation/voice?id=${encodeURIComponent(id)}`;
    const headers = { ...this.headers, 'content-type': type };
    return fetch(place, { method: 'POST', headers, body: audio });
  }

  /** Sends a file as a browser does. */
  attach(
    id: string,
    bytes: Uint8Array,
    { name = 'cv.pdf', type = 'application/pdf' }: { name?: string; type?: string } = {},
  ): Promise<Response> {
    const query = new URLSearchParams({ id, name });
    const place = `${this.app.url}/api/v1/conversation/files?${query.toString()}`;
    const headers = { ...this.headers, 'content-type': type };
    return fetch(place, { method: 'POST', headers, body: new Uint8Array(bytes) });
  }

  /** Waits until `isSo` accepts the view; after 20 s throws an error with the last view. */
  async waitFor(isSo: (view: View) => boolean): Promise<View> {
    for (let look = 0; look < 400; look += 1) {
      const view = await this.view();
      if (isSo(view)) return view;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(
      `the expected view did not come; the last one: ${JSON.stringify(await this.view())}`,
    );
  }

  /** Sends one message and waits for the reply to it. */
  async answer(id: string, text: string): Promise<View> {
    const before = await this.view();
    await this.send(id, text);
    return this.waitFor((view) => view.interviewStep > before.interviewStep && !view.replying);
  }
}
