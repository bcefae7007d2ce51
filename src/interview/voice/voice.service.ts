import { ColloquyError } from '../../common/errors';
import { isUuid } from '../../common/ids';
import { Injectable } from '@nestjs/common';
import {
  type AppendedMessage,
  BufferService,
  MessageIdReusedError,
  MessageUnknownError,
  countedBytes,
  notOpen,
} from '../../buffer';
import type { ChannelName } from '../../channels';
import { storable } from '../../common/text';
import type { Tx } from '../../common/uow';
import { Jobs } from '../../jobs';
import { OpenLinkLimits } from '../../vacancies';
import { ConversationRepository } from '../conversation.repository';
import { audioContainerOf } from './audio-container';
import { MAX_VOICE_BYTES, type NewVoice, type VoiceRow, VoiceRepository } from './voice.repository';

/** How voices get into conversations. Runs inside the caller's commit. */
@Injectable()
export class VoiceService {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly buffer: BufferService,
    private readonly voices: VoiceRepository,
    private readonly jobs: Jobs,
    private readonly openLinks: OpenLinkLimits,
  ) {}

  /**
   * Stores the message, which holds its answer open until it is transcribed, its audio or the reference to
   * it, and the job that transcribes it. A redelivery changes nothing. Throws what `append` throws,
   * VoiceEmptyError, VoiceTooLargeError, UploadsFullError.
   */
  async receive(tx: Tx, voice: NewVoice): Promise<AppendedMessage> {
    const { conversationId, channel, externalId, audio } = voice;
    const bytes = audio.kind === 'bytes' ? audio.bytes : null;
    if (bytes !== null) assertSize(bytes);
    const conversation = await this.conversations.lockKnown(tx, conversationId);
    const isOpen = conversation.notOpen === null;
    const refusal = isOpen ? await this.openLinks.uploadRefusal(tx, conversation) : null;
    if (refusal !== null && !(await this.buffer.isStored(tx, voice))) throw refusal;
    const sizeBytes = audio.kind === 'bytes' ? audio.bytes.length : sizeOf(audio.sizeBytes);
    const mediaBytes = countedBytes(sizeBytes, MAX_VOICE_BYTES);
    const message = { conversationId, channel, externalId, text: '', isPending: true, mediaBytes };
    const appended = await this.buffer.append(tx, message);
    if (!appended.isNew) {
      await this.assertSame(tx, appended.messageId, bytes);
      return appended;
    }
    await this.openLinks.countUpload(tx, conversation, mediaBytes);
    await this.voices.insert(tx, {
      messageId: appended.messageId,
      ...soundOf(bytes, { mimeType: audio.mimeType, durationS: voice.durationS, sizeBytes }),
      sizeBytes,
      source: audio.kind === 'reference' ? storable(audio.reference, '') : null,
      bytes,
    });
    await this.jobs.enqueue(tx, { queue: 'transcribe', key: appended.messageId, dueInMs: 0 });
    return appended;
  }

  /**
   * Stores the candidate's correction of a transcript: another text while the answer is collected,
   * after that an amendment. Throws NotOpenError, and MessageUnknownError when there is no such voice.
   */
  async correct(tx: Tx, correction: Correction): Promise<'edited' | 'amendment'> {
    const { conversationId, text } = correction;
    const conversation = await this.conversations.lockKnown(tx, conversationId);
    if (conversation.notOpen !== null) throw notOpen(conversation.notOpen);
    const voice = await this.voices.findOf(tx, correction);
    if (voice === undefined) throw new MessageUnknownError('there is no such voice message');
    const { channel, externalId } = voice;
    return this.buffer.edit(tx, { conversationId, channel, externalId, text });
  }

  /** The voice whose transcript this message of the channel repeats; null: it repeats none. */
  findRepeatedBy(
    tx: Tx,
    of: { conversationId: string; channel: ChannelName; externalId: string },
  ): Promise<string | null> {
    return this.voices.findRepeatedBy(tx, of);
  }

  private async assertSame(tx: Tx, messageId: string, bytes: Buffer | null): Promise<void> {
    if (bytes === null || (await this.voices.isKept(tx, messageId, bytes))) return;
    throw new MessageIdReusedError('this message id was used for another message', {
      fields: { messageId },
    });
  }
}

interface Correction {
  readonly conversationId: string;
  readonly channel: ChannelName;
  /** The id that the channel gave the message, or the one that it has in the transcript. */
  readonly id: string;
  readonly text: string;
}

function assertSize({ length }: Buffer): void {
  if (length === 0) throw new VoiceEmptyError('the voice message has no audio');
  if (length > MAX_VOICE_BYTES) {
    throw new VoiceTooLargeError(
      `the voice message is too large: send at most ${MAX_VOICE_BYTES} bytes`,
    );
  }
}

/** An audio without a byte. */
class VoiceEmptyError extends ColloquyError {
  readonly code = 'voice_empty';
  readonly retryable = false;
}

/** More audio than is taken. */
class VoiceTooLargeError extends ColloquyError {
  readonly code = 'voice_too_large';
  readonly retryable = false;
}

interface AnnouncedVoice {
  readonly mimeType: string;
  readonly durationS: number | null;
  /** 0: not known. */
  readonly sizeBytes: number;
}

/** Type and length of a recording: what its bytes say, else what was announced, if that is possible. */
export function soundOf(
  bytes: Buffer | null,
  announced: AnnouncedVoice,
): { readonly mimeType: string; readonly durationS: number | null } {
  const container = bytes === null ? null : audioContainerOf(bytes);
  const type = mimeTypeOf(announced.mimeType);
  const isKind = SAME_CONTAINER[type] === container?.mimeType;
  const { sizeBytes } = announced;
  return {
    mimeType: container === null || isKind ? type : container.mimeType,
    durationS:
      secondsOf(container?.durationS ?? null, sizeBytes) ??
      secondsOf(announced.durationS, sizeBytes),
  };
}

/** Other types of what these containers may hold; they are kept, because players know them too. */
const SAME_CONTAINER: Readonly<Record<string, string>> = {
  'audio/m4a': 'audio/mp4',
  'audio/x-m4a': 'audio/mp4',
  'video/mp4': 'audio/mp4',
  'video/webm': 'audio/webm',
};

/** Type and subtype, without parameters, because it is sent to a recruiter's browser. */
const MIME_TYPE = /^[a-z0-9][a-z0-9.+-]{0,60}\/[a-z0-9][a-z0-9.+-]{0,60}$/;
const ANY_TYPE = 'application/octet-stream';

function mimeTypeOf(given: string): string {
  const type = given.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return MIME_TYPE.test(type) ? type : ANY_TYPE;
}

const MAX_SECONDS = 24 * 3600;
/** Fewer bytes hold no second of speech in any codec that people use. */
const LEAST_BYTES_PER_SECOND = 100;
/** A length up to this is believed of any recording. */
const SHORT_S = 10;

/** Null for a length that so few bytes cannot have. */
function secondsOf(given: number | null, sizeBytes: number): number | null {
  if (given === null || given < 0 || given > MAX_SECONDS) return null;
  const longest = SHORT_S + sizeBytes / LEAST_BYTES_PER_SECOND;
  return sizeBytes === 0 || given <= longest ? given : null;
}

function sizeOf(given: number): number {
  return Number.isSafeInteger(given) ? Math.min(Math.max(given, 0), 2 ** 31 - 1) : 0;
}

const PAGE = 100;

export interface VoicePage {
  readonly voices: readonly VoiceRow[];
  /** Asks for what is older; null: these are the first ones. */
  readonly olderCursor: number | null;
}

export interface Recording {
  readonly bytes: Buffer;
  readonly mimeType: string;
}

/** What candidates recorded, for the people who read their interviews. Writes nothing. */
@Injectable()
export class VoiceArchive {
  constructor(private readonly voices: VoiceRepository) {}

  /**
   * The newest 100, or those before `before`, in the order of the conversation; none where there is
   * no such conversation.
   */
  async page(tx: Tx, conversationId: string, before: number | null): Promise<VoicePage> {
    if (!isUuid(conversationId)) return { voices: [], olderCursor: null };
    const rows = await this.voices.newest(tx, { conversationId, before, limit: PAGE + 1 });
    const voices = rows.slice(-PAGE);
    return { voices, olderCursor: rows.length > PAGE ? (voices[0]?.seq ?? null) : null };
  }

  /** Throws VoiceUnknownError, also for an audio that was never received. */
  async recording(
    tx: Tx,
    of: { readonly conversationId: string; readonly messageId: string },
  ): Promise<Recording> {
    const voice = isUuid(of.messageId) ? await this.voices.find(tx, of.messageId) : undefined;
    const isTheirs = voice?.conversationId === of.conversationId;
    const bytes = isTheirs ? await this.voices.audio(tx, of.messageId) : null;
    if (voice === undefined || bytes === null) {
      throw new VoiceUnknownError('there is no such recording');
    }
    return { bytes, mimeType: voice.mimeType };
  }
}

/** No such recording, or nothing of it is kept. */
class VoiceUnknownError extends ColloquyError {
  readonly code = 'voice_unknown';
  readonly retryable = false;
}
