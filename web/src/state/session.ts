/**
 * One conversation on this page: connects the reducer, the outbox, the event stream and the API, and
 * gives the components one immutable snapshot. It decides when to send, to read again and to give up;
 * what else the candidate may ask for is in requests.ts. It renders nothing.
 */
import { ApiProblem } from '../api/client';
import type { CandidateApi } from '../api/client';
import { CONVERSATION_EVENTS, EventStream } from '../api/event-stream';
import type { ConversationView, StreamEvent } from '../api/wire';
import type { Platform } from '../platform';
import { Attachments } from './attachments';
import { type ConversationAction, isOf, newestOwnId } from './conversation';
import { Draft, cleaned } from './draft';
import { HiddenTab } from './hidden-tab';
import { Outbox } from './outbox';
import { Reader } from './reader';
import { Recorder } from './recorder';
import { Requests } from './requests';
import { advanced, initialSnapshot } from './session-snapshot';
import type { SessionEnd, SessionEnds, SessionSnapshot } from './session-snapshot';
import { checkForStall } from './stall-check';
import { hasNewUnsent, wouldLose } from './unsent';

/** Longer than the time between two signs of somebody who types. */
const TYPING_MS = 6_000;

export class ConversationSession {
  private state: SessionSnapshot;
  private readonly outbox: Outbox;
  private readonly stream: EventStream<StreamEvent>;
  private readonly written: Draft;
  readonly recorder: Recorder;
  readonly attachments: Attachments;
  readonly requests: Requests;
  private readonly listeners = new Set<() => void>();
  private lastHeardAtMs = 0;
  private readonly tab: HiddenTab;
  private readonly reader = new Reader(() => this.hasRead());
  /** The last voice or file that the server has acknowledged. */
  private lastUpload: string | null = null;
  /** Counts what the candidate writes, so that a Done before it does not end the answer. */
  private writes = 0;
  private isEnding = false;

  constructor(
    view: ConversationView,
    private readonly api: CandidateApi,
    private readonly platform: Platform,
    readonly ends: SessionEnds,
  ) {
    this.written = new Draft(view.id, {
      ...platform,
      // Only a hint: if it is lost, the reply comes early at most.
      onTyping: () => void api.activity('typing').catch(() => undefined),
    });
    const ports = { ...platform, onProblem: (problem: ApiProblem) => this.noteProblem(problem) };
    this.outbox = new Outbox(view.id, {
      ...ports,
      send: (message) => api.send(message),
      onChange: (outbox) => this.publish({ outbox }),
      onAcknowledged: ({ id, text, writtenAt }, seq) => {
        this.dispatch({ type: 'acknowledged', message: { id, text, writtenAt, seq } });
      },
    });
    this.stream = new EventStream({
      ...CONVERSATION_EVENTS,
      openEvents: () => api.openEvents(),
      wait: platform.wait,
      onEvent: (event) => this.heard(event),
      onConnection: (connection) => {
        this.dispatch({ type: 'connection', connection });
        if (connection === 'open') this.sendAgain();
        // Only a read can distinguish an unknown session from a dead network.
        if (connection === 'lost') void this.refetch();
      },
    });
    this.tab = new HiddenTab(platform, () => this.stream.close());
    this.recorder = new Recorder({
      ...ports,
      send: (voice) => this.uploaded(voice.id, api.sendVoice(voice)),
      // Only a hint, like typing.
      onRecording: () => void api.activity('recording').catch(() => undefined),
      onSent: () => void this.refetch(),
      onChange: (recorder) => {
        this.publish({ recorder });
        // The answer would end without the recording.
        if (recorder.kind === 'unsent' || recorder.kind === 'problem') this.undoDone();
      },
    });
    this.attachments = new Attachments({
      ...ports,
      maxBytes: () => this.state.conversation.view.limits.maxFileBytes,
      send: (upload) => this.uploaded(upload.id, api.sendFile(upload)),
      onSending: () => this.noteTyping(),
      onSent: () => void this.refetch(),
      onChange: (attachments) => {
        const before = this.state.attachments;
        this.publish({ attachments });
        // The answer would end without the file.
        if (hasNewUnsent(before, attachments)) this.undoDone();
      },
    });
    this.requests = new Requests({
      ...ports,
      api,
      conversation: () => this.state.conversation,
      dispatch: (action) => this.dispatch(action),
      refetch: () => this.refetch(),
    });
    this.state = initialSnapshot(view, {
      outbox: this.outbox.list(),
      hasMicrophone: this.recorder.isSupported,
      nowMs: platform.nowMs(),
    });
  }

  /** Takes over what an earlier session of the same conversation has kept in memory. */
  restore(earlier: ConversationSession): void {
    if (earlier.state.conversation.view.id !== this.state.conversation.view.id) return;
    this.attachments.restore(earlier.attachments.kept());
    const voice = earlier.recorder.kept();
    if (voice !== null) this.recorder.restore(voice);
  }

  /** Opens the stream and sends what an earlier visit left unsent. */
  start(): void {
    this.reopen();
    this.outbox.retryNow();
    checkForStall({
      platform: this.platform,
      conversation: () => (this.state.isSessionLost ? null : this.state.conversation),
      lastHeardAtMs: () => this.lastHeardAtMs,
      isStale: () => this.reader.isStale,
      refetch: () => this.refetch(),
      reopen: () => this.reopen(),
    });
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly snapshot = (): SessionSnapshot => this.state;

  draft(): string {
    return this.written.text();
  }

  /** A recording or a file is only in the memory of this page. */
  wouldLose(): boolean {
    return wouldLose(this.state);
  }

  /** Keeps the draft, and reports typing at most every two seconds. */
  noteDraft(text: string): void {
    this.written.keep(text);
    const { status, owner, hasBuffer } = this.state.conversation.view;
    const isHeard = status === 'active' || owner === 'person';
    if (isHeard && (text.trim() !== '' || hasBuffer)) this.noteTyping();
  }

  /** Reports typing in any field, because the answer waits for it. */
  noteTyping(): void {
    this.written.hint();
  }

  write(text: string): void {
    const clean = cleaned(text);
    if (clean === '') return;
    this.undoDone();
    this.outbox.add(clean);
  }

  /**
   * Ends the answer, after everything written, attached and recorded has arrived; a recording is sent
   * now. It stays "finishing" until the reply begins.
   */
  finishAnswer(): void {
    this.publish({ isFinishing: true, hasDoneFailed: false });
    const { writes } = this;
    const finish = async () => {
      if (writes !== this.writes) return;
      const last = newestOwnId(this.state.conversation, this.lastUpload);
      const done = await this.requests.done(last).catch(() => null);
      const isExpected = done?.dueAt != null || this.state.conversation.view.replying;
      if (!isExpected) this.publish({ isFinishing: false, hasDoneFailed: done === null });
    };
    void this.recorder.send();
    this.attachments.retry();
    this.outbox.afterDelivery(() =>
      this.attachments.afterDelivery(() => this.recorder.afterDelivery(() => void finish())),
    );
  }

  /** How long the answer still waits for more, in milliseconds. */
  quietMs(): number {
    const { due } = this.state;
    return due === null ? 0 : Math.max(0, due.atMs - this.platform.nowMs());
  }

  retryNow(): void {
    if (this.state.conversation.connection === 'lost') this.reopen();
    this.sendAgain();
  }

  discard(id: string): void {
    this.outbox.discard(id);
  }

  /** Deletes everything about the candidate, or signs this browser out; either leaves nothing here. */
  async end(how: SessionEnd): Promise<void> {
    this.isEnding = true;
    try {
      await this.requests.end(how);
    } catch (error) {
      this.isEnding = false;
      throw error;
    }
    this.stream.close();
    this.recorder.clear();
    this.attachments.clear();
    this.outbox.forget();
    this.written.forget();
    this.ends.onEnded(how);
    this.publish({ isSessionLost: true });
  }

  /** The page is being closed or left. In another tab the candidate may have left this device. */
  hidden(): void {
    if (!this.state.isSessionLost) this.written.keepOwn();
  }

  wentOffline(): void {
    if (!this.state.isSessionLost) this.stream.suspend();
  }

  cameOnline(): void {
    if (this.state.isSessionLost) return;
    this.reopen();
    this.sendAgain();
  }

  visibilityChanged(isVisible: boolean): void {
    if (this.tab.needsStream(isVisible)) this.cameOnline();
  }

  /** Opens a fresh stream; hidden tabs give theirs up for it. */
  private reopen(): void {
    if (this.tab.isGivenUp) return;
    this.platform.tabs.sayOpened();
    this.stream.reopen();
  }

  private sendAgain(): void {
    this.outbox.retryNow();
    this.attachments.retry();
    void this.recorder.retry();
  }

  /** A Done that still waits does not end the answer. */
  private undoDone(): void {
    this.writes += 1;
    const { isFinishing, hasDoneFailed } = this.state;
    if (isFinishing || hasDoneFailed) this.publish({ isFinishing: false, hasDoneFailed: false });
  }

  private async uploaded<T>(id: string, upload: Promise<T>): Promise<T> {
    const result = await upload;
    this.lastUpload = id;
    return result;
  }

  private heard(event: StreamEvent): void {
    this.lastHeardAtMs = this.platform.nowMs();
    if (!isOf(event, this.state.conversation.view.id)) this.lose();
    else if (!this.state.isSessionLost) this.dispatch({ type: 'heard', event });
    const { typing } = this.state.conversation;
    if (event.type !== 'typing' || typing === 0) return;
    this.platform.wait(TYPING_MS, () => this.dispatch({ type: 'typingEnded', typing }));
  }

  private dispatch(action: ConversationAction): void {
    const before = this.state.conversation;
    this.publish(advanced(this.state, action, this.platform.nowMs()));
    const { conversation } = this.state;
    if (conversation.wants.refetch > before.wants.refetch) void this.refetch();
    if (conversation.wants.reconnect > before.wants.reconnect) this.reopen();
  }

  /** A failed read is not repeated here: the next hello or the stall check asks again. */
  private async refetch(): Promise<void> {
    if (!this.state.isSessionLost) await this.reader.again();
  }

  private async hasRead(): Promise<boolean> {
    if (this.state.isSessionLost) return true;
    try {
      const view = await this.api.conversation();
      if (view.id === this.state.conversation.view.id) this.dispatch({ type: 'viewed', view });
      else this.lose();
      return true;
    } catch (error) {
      // Not noteProblem: it may ask for another read at once.
      if (error instanceof ApiProblem && error.code === 'session_unknown') this.lose();
      return false;
    }
  }

  private noteProblem(problem: ApiProblem): void {
    if (problem.code === 'session_unknown') this.lose();
    // The state changed meanwhile, so the page reads it again.
    const isOvertaken = problem.code === 'conversation_with_person';
    if (isOvertaken || problem.code === 'conversation_closed') void this.refetch();
  }

  /**
   * Stops everything. The outbox stays in storage for the next visit, recordings and files in memory
   * for the session that opens this conversation again on this page.
   */
  private lose(): void {
    if (this.state.isSessionLost || this.isEnding) return;
    this.publish({ isSessionLost: true });
    this.outbox.stop();
    void this.recorder.stop();
    this.attachments.stop();
    this.stream.close();
  }

  private publish(change: Partial<SessionSnapshot>): void {
    this.state = { ...this.state, ...change };
    for (const listener of this.listeners) listener();
  }
}
