/**
 * What the candidate asks the server for, apart from sending an answer: consent, a person, older
 * messages, their data. Each method makes its request once and fails with it, so that the component which
 * asked can say so; nothing is kept here, and nothing is tried again.
 */
import { ApiProblem } from '../api/client';
import type { CandidateApi, ProfileAnswer } from '../api/client';
import type { Receipt, WireMessage } from '../api/wire';
import type { Platform } from '../platform';
import type { ConversationAction, ConversationState } from './conversation';
import { readAllOlder, readOlder } from './older';
import type { SessionEnd } from './session-snapshot';

interface RequestPorts extends Pick<Platform, 'goTo' | 'saveFile'> {
  api: CandidateApi;
  conversation: () => ConversationState;
  dispatch: (action: ConversationAction) => void;
  refetch: () => Promise<void>;
  /** The server has named a problem, which may concern the whole page. */
  onProblem: (problem: ApiProblem) => void;
}

export class Requests {
  constructor(private readonly ports: RequestPorts) {}

  async consent(accepted: boolean): Promise<void> {
    const { api, conversation, dispatch, refetch } = this.ports;
    const { version } = conversation().view.disclosure;
    try {
      dispatch({ type: 'viewed', view: await api.consent(version, accepted) });
    } catch (error) {
      if (hasCode(error, 'disclosure_outdated') || hasCode(error, 'consent_given')) await refetch();
      throw this.noted(error);
    }
  }

  async profile(answer: ProfileAnswer): Promise<void> {
    const { api, dispatch } = this.ports;
    dispatch({ type: 'viewed', view: await this.asked(api.profile(answer)) });
  }

  async act(what: 'stop' | 'continue' | 'human' | 'resume' | 'withdraw'): Promise<void> {
    await this.asked(this.ports.api.tell(what));
    if (what !== 'stop') await this.ports.refetch();
  }

  /** The answer is complete with this message. */
  done(lastMessageId: string | null): Promise<{ dueAt: string | null } | null> {
    return this.asked(this.ports.api.done(lastMessageId));
  }

  /** Replaces the text of a voice message. */
  async correct(messageId: string, text: string): Promise<void> {
    await this.asked(this.ports.api.correct(messageId, text));
    await this.ports.refetch();
  }

  async continueInTelegram(): Promise<void> {
    this.ports.goTo(await this.asked(this.ports.api.continuation()));
  }

  /** Reads the messages before those on the page. */
  showOlder(): Promise<void> {
    const { conversation, dispatch } = this.ports;
    return readOlder(conversation().older, { read: this.readOlder, dispatch });
  }

  /** Saves a file of the transcript in the browser's downloads. */
  async downloadFile(messageId: string, name: string): Promise<void> {
    this.ports.saveFile(name, await this.asked(this.ports.api.file(messageId)));
  }

  async downloadData(fileName: string): Promise<void> {
    this.ports.saveFile(fileName, await this.asked(this.ports.api.myData()));
  }

  /** Without quotes if the interview is not scored any more, as after an objection. */
  async receipt(): Promise<Receipt> {
    try {
      return await this.ports.api.receipt();
    } catch (error) {
      if (hasCode(error, 'receipt_unavailable')) return { state: 'ready', questions: [] };
      throw this.noted(error);
    }
  }

  /** Saves the whole interview as a text that `write` makes of its messages and its receipt, if it has one. */
  async downloadAnswers(
    fileName: string,
    write: (messages: readonly WireMessage[], receipt: Receipt | null) => string,
  ): Promise<void> {
    const { conversation, saveFile } = this.ports;
    const { older, messages } = conversation();
    const before = await readAllOlder(older, this.readOlder);
    const receipt = conversation().view.receipt ? await this.receipt() : null;
    const text = write([...before, ...messages], receipt);
    saveFile(fileName, new Blob([text], { type: 'text/plain;charset=utf-8' }));
  }

  /**
   * Deletes everything about the candidate, or signs this browser out. An unknown session was ended by
   * an earlier try whose response was lost.
   */
  async end(how: SessionEnd): Promise<void> {
    const { api } = this.ports;
    try {
      await (how === 'erased' ? api.forget() : api.leave());
    } catch (error) {
      if (!hasCode(error, 'session_unknown')) throw this.noted(error);
    }
  }

  private readonly readOlder = (cursor: number) => this.asked(this.ports.api.older(cursor));

  private asked<T>(response: Promise<T>): Promise<T> {
    return response.catch((error: unknown) => {
      throw this.noted(error);
    });
  }

  private noted(error: unknown): unknown {
    if (error instanceof ApiProblem) this.ports.onProblem(error);
    return error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof ApiProblem && error.code === code;
}
