import { Injectable, Logger } from '@nestjs/common';
import { DomainEvents } from '../../common/events';
import { Interval } from '@nestjs/schedule';
import { BufferService, MAX_MESSAGE_UNITS } from '../../buffer';
import { Settings } from '../../common/config';
import { describeError } from '../../common/errors';
import { type Tx, UnitOfWorkFactory } from '../../common/uow';
import { DeliveryService } from '../../delivery';
import { type ConversationRow, ConversationRepository } from '../conversation.repository';
import { textsOf } from '../texts/texts';
import { SystemMessages } from '../transcript/system-messages';
import {
  type VoiceEnd,
  type VoiceProblem,
  type VoiceRow,
  isWaiting,
  VoiceRepository,
} from './voice.repository';

/** How much of a transcript is repeated to the candidate; the conversation has all of it. */
const READ_BACK_UNITS = 3000;
/** How much of a transcript is stored for people who compare it with the recording. */
const KEPT_UNITS = 200_000;

export interface LockedVoice {
  readonly voice: VoiceRow;
  readonly conversation: ConversationRow;
}

/**
 * How a voice ends: with its transcript, or without one and shown to a person. Part of the caller's
 * commit.
 */
@Injectable()
export class VoiceSettling {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly voices: VoiceRepository,
    private readonly buffer: BufferService,
    private readonly systemMessages: SystemMessages,
    private readonly events: DomainEvents,
    private readonly deliveries: DeliveryService,
  ) {}

  /** Locks the conversation; undefined when the voice has ended or was erased. */
  async lockWaiting(tx: Tx, messageId: string): Promise<LockedVoice | undefined> {
    const known = await this.voices.find(tx, messageId);
    if (known === undefined) return undefined;
    const conversation = await this.conversations.lock(tx, known.conversationId);
    // Read again under the lock, because another claim may have settled it meanwhile.
    const voice = await this.voices.find(tx, messageId);
    if (conversation === undefined || voice === undefined || !isWaiting(voice)) return undefined;
    return { voice, conversation };
  }

  /** Returns how it ended: after a withdrawal no transcript is stored. */
  async settle(tx: Tx, { voice, conversation }: LockedVoice, end: VoiceEnd): Promise<VoiceEnd> {
    const isOver = conversation.status === 'withdrawn';
    const actual: VoiceEnd = isOver ? { kind: 'unheard', problem: 'withdrawn' } : end;
    if (actual.kind === 'heard')
      await this.storeTranscript(tx, voice, conversation, actual.transcript);
    else await this.giveUp(tx, voice, conversation, actual.problem);
    return actual;
  }

  /** Says something about a voice, once; it is sent to the channel the voice came from. */
  notify(
    tx: Tx,
    { id }: ConversationRow,
    { channel }: VoiceRow,
    notice: { readonly externalId: string; readonly text: string },
  ): Promise<boolean> {
    return this.systemMessages.send(tx, { id, channel }, { role: 'system', ...notice });
  }

  private async storeTranscript(
    tx: Tx,
    voice: VoiceRow,
    conversation: ConversationRow,
    transcript: string,
  ): Promise<void> {
    const text = cut(transcript, MAX_MESSAGE_UNITS);
    const end: VoiceEnd = { kind: 'heard', transcript: cut(transcript, KEPT_UNITS) };
    await this.buffer.settlePending(tx, { ...namesOf(voice), text });
    await this.voices.settle(tx, voice.messageId, end);
    const texts = textsOf(conversation.language);
    const externalId = noticeId(voice);
    if (text.length < transcript.length) {
      // Not the read-back's id: a reply to this notice adds to the answer and corrects nothing.
      const notice = { externalId: `${externalId}:in-part`, text: texts.heardInPart };
      await this.notify(tx, conversation, voice, notice);
    } else if (this.deliveries.sends(voice.channel)) {
      // The page itself shows the transcript, with a way to correct it.
      const [before, after] = texts.heard;
      const readBack = `${before}${shortened(text)}${after}`;
      await this.notify(tx, conversation, voice, { externalId, text: readBack });
    }
  }

  private async giveUp(
    tx: Tx,
    voice: VoiceRow,
    conversation: ConversationRow,
    problem: VoiceProblem,
  ): Promise<void> {
    const texts = textsOf(conversation.language);
    const { messageId } = voice;
    await this.buffer.dropPending(tx, { ...namesOf(voice), text: texts.unheardVoice });
    await this.voices.settle(tx, messageId, { kind: 'unheard', problem });
    if (problem === 'withdrawn') return;
    const text = texts[NOTICES[problem]];
    await this.notify(tx, conversation, voice, { externalId: noticeId(voice), text });
    await this.events.publish(tx, 'attention.needed', {
      kind: 'unanalysed',
      subject: `message:${messageId}`,
      conversationId: conversation.id,
      reason: `a voice message has no transcript (${problem})`,
    });
  }
}

/** The text of the notice to the candidate. */
const NOTICES = {
  no_endpoint: 'voiceNotTaken',
  too_large: 'voiceTooLarge',
  gone: 'voiceLost',
  refused: 'voiceNotHeard',
  empty: 'voiceNotHeard',
  failed: 'voiceNotHeard',
  no_consent: 'consentFirst',
} as const satisfies Record<Exclude<VoiceProblem, 'withdrawn'>, string>;

function noticeId({ messageId }: VoiceRow): string {
  return `voice:${messageId}`;
}

function namesOf({ conversationId, channel, externalId }: VoiceRow) {
  return { conversationId, channel, externalId };
}

function shortened(text: string): string {
  return text.length <= READ_BACK_UNITS ? text : `${cut(text, READ_BACK_UNITS)}…`;
}

/** The beginning of a text, cut between characters. */
function cut(text: string, units: number): string {
  if (text.length <= units) return text;
  return text.slice(0, units).replace(/[\ud800-\udbff]$/, '');
}

const SWEEP_MS = 5000;
const BATCH = 100;
const PREFIX = 'voice-waits:';

/**
 * Sends candidates a notice that their voice message is stored but has no transcript yet, and that they
 * may write instead. The notice is sent once the voice is older than INTERVIEW_BUFFER_MAX_WAIT, once for
 * each message, and not after a withdrawal.
 */
@Injectable()
export class VoiceDelays {
  private readonly logger = new Logger('Voices');
  private readonly waitMs;

  constructor(
    settings: Settings,
    private readonly units: UnitOfWorkFactory,
    private readonly voices: VoiceRepository,
    private readonly settling: VoiceSettling,
  ) {
    this.waitMs = settings.buffer.maxWaitMs;
  }

  @Interval(SWEEP_MS)
  async sweep(): Promise<void> {
    try {
      await this.notifyWaiting();
    } catch (error) {
      this.logger.warn(
        `notices about waiting voices could not be stored; trying again: ${describeError(error)}`,
      );
    }
  }

  /** Returns how many candidates got a notice. */
  async notifyWaiting(): Promise<number> {
    return this.units.run('voice.delays', async (uow) => {
      const overdue = await uow.commitOne('voice.overdue', (tx) =>
        this.voices.listOverdue(tx, { waitMs: this.waitMs, limit: BATCH, noticePrefix: PREFIX }),
      );
      let count = 0;
      for (const { messageId } of overdue) {
        if (await uow.commit('voice.notice', (tx) => this.notify(tx, messageId))) count += 1;
      }
      return count;
    });
  }

  private async notify(tx: Tx, messageId: string): Promise<boolean> {
    const locked = await this.settling.lockWaiting(tx, messageId);
    if (locked === undefined || locked.conversation.status === 'withdrawn') return false;
    const { voice, conversation } = locked;
    const text = textsOf(conversation.language).voiceWaits;
    const notice = { externalId: `${PREFIX}${messageId}`, text };
    return this.settling.notify(tx, conversation, voice, notice);
  }
}
