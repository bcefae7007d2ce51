/** A conversation on the page; the test controls everything around it. */
import { CandidateApi } from '../../web/src/api/client';
import type { ConversationView, TranscriptPage } from '../../web/src/api/wire';
import type { Microphone } from '../../web/src/microphone';
import { ConversationSession } from '../../web/src/state/session';
import { FakeEventSource, Timers, aRecording, aStorage, aView } from './fake-browser';

export class FakeApi extends CandidateApi {
  readonly calls: string[] = [];
  readonly source = new FakeEventSource();
  streams = 0;
  view: ConversationView = aView();
  sendFails = false;
  olderPage: TranscriptPage | Error = { messages: [], olderCursor: null };
  readFails: Error | null = null;
  /** A read ends after this, with what was true when it began. */
  readHeld: Promise<unknown> = Promise.resolve();
  /** How the upload of a voice or a file ends. */
  upload: () => Promise<unknown> = () => Promise.resolve(null);
  continues: string | Error = 'https://t.me/bot?start=x';
  forgetFails: Error | null = null;
  tellFails: Error | null = null;
  dueAt: string | null = '2026-01-01T10:00:01Z';

  override invite() {
    return Promise.resolve({
      kind: 'personal',
      interviewer: 'ai',
      language: 'en',
      company: 'Northwind',
      vacancyTitle: 'Engineer',
      brand: { logo: null, accent: null },
      questions: 7,
      minutes: 15,
      state: 'open',
      disclosure: null,
    } as const);
  }

  override openSession() {
    return Promise.resolve();
  }

  override async conversation() {
    this.calls.push('read');
    const { view, readFails, readHeld } = this;
    await readHeld;
    if (readFails) throw readFails;
    return view;
  }

  override older(cursor: number) {
    this.calls.push(`older than ${String(cursor)}`);
    return this.olderPage instanceof Error
      ? Promise.reject(this.olderPage)
      : Promise.resolve(this.olderPage);
  }

  override send({ text }: { id: string; text: string }) {
    this.calls.push(`send ${text}`);
    return this.sendFails ? Promise.reject(new Error('offline')) : Promise.resolve({ seq: 9 });
  }

  override myData() {
    return Promise.resolve(new Blob(['{"profile":{"name":"Ada"}}']));
  }

  override forget() {
    this.calls.push('forget');
    return this.forgetFails ? Promise.reject(this.forgetFails) : Promise.resolve(null);
  }

  override leave() {
    this.calls.push('leave');
    return this.forgetFails ? Promise.reject(this.forgetFails) : Promise.resolve(null);
  }

  override sendVoice({ id }: { id: string }) {
    this.calls.push(`voice ${id}`);
    return this.upload();
  }

  override sendFile({ id, file }: { id: string; file: File }) {
    this.calls.push(`file ${id} ${file.name}`);
    return this.upload();
  }

  override file(messageId: string) {
    return Promise.resolve(new Blob([`content of ${messageId}`]));
  }

  override correct(messageId: string, text: string) {
    this.calls.push(`correct ${messageId}: ${text}`);
    return Promise.resolve(null);
  }

  override activity(type: string) {
    this.calls.push(type);
    return Promise.resolve(null);
  }

  override done(lastMessageId: string | null) {
    this.calls.push(lastMessageId === null ? 'done' : `done ${lastMessageId}`);
    return this.tellFails ? Promise.reject(this.tellFails) : Promise.resolve({ dueAt: this.dueAt });
  }

  override tell(what: string) {
    this.calls.push(what);
    return this.tellFails ? Promise.reject(this.tellFails) : Promise.resolve(null);
  }

  override continuation() {
    return this.continues instanceof Error
      ? Promise.reject(this.continues)
      : Promise.resolve(this.continues);
  }

  override openEvents() {
    this.streams += 1;
    return this.source.asEventSource();
  }
}

/** A tab that is shown, and another one that a test lets open a stream. */
function someTabs() {
  const listeners: (() => void)[] = [];
  const tabs = {
    isShownNow: true,
    /** How many times this tab has said that it opens a stream. */
    said: 0,
    isShown: () => tabs.isShownNow,
    sayOpened: () => void (tabs.said += 1),
    onOpened: (then: () => void) => void listeners.push(then),
    anotherOpens: () => {
      for (const then of listeners) then();
    },
  };
  return tabs;
}

/** A browser whose clock, timers and storage the test controls. */
export function aPlatform() {
  const timers = new Timers();
  const clock = { nowMs: 100_000 };
  let ids = 0;
  const saved: unknown[] = [];
  const wentTo: string[] = [];
  const microphone: Microphone = () => Promise.resolve(aRecording());
  const platform = {
    nowMs: () => clock.nowMs,
    random: () => 1,
    newMessageId: () => `id${String((ids += 1))}`,
    wait: timers.wait,
    storage: aStorage(),
    tabs: someTabs(),
    saveFile: (name: string, content: Blob) => saved.push(name, content),
    goTo: (url: string) => wentTo.push(url),
    reload: () => undefined,
    // Looked up at each recording, so that a test can replace it.
    microphone: () => platform.nextRecording(),
    nextRecording: microphone,
  };
  return { platform, timers, clock, saved, wentTo };
}

export function aSession(view = aView(), isShown = true) {
  const api = new FakeApi();
  api.view = view;
  const { platform, ...browser } = aPlatform();
  platform.tabs.isShownNow = isShown;
  const gone = jest.fn();
  const session = new ConversationSession(view, api, platform, {
    wayBack: 'personal',
    onEnded: gone,
  });
  session.start();
  const shown = () => session.snapshot().conversation.messages.map(({ text }) => text);
  return { session, api, platform, storage: platform.storage, shown, gone, ...browser };
}

export const hello = (lastSeq: number, extra: object = {}) => ({
  lastSeq,
  status: 'active',
  hasBuffer: false,
  replying: false,
  ...extra,
});
