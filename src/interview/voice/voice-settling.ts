import { Injectable, Logger } from '@nestjs/common';
import { AttentionService } from '../../attention';
import { BufferService, MAX_MESSAGE_UNITS } from '../../buffer';
import { Clock } from '../../common/clock';
import { newId } from '../../common/ids';
import { type Tx, UnitOfWorkFactory } from '../../common/uow';
import { DeliveryService } from '../../delivery';
import { type ConversationRow, ConversationRepository } from '../conversation.repository';
import { MessageRepository } from '../transcript/message.repository';
import { textsOf } from '../texts/texts';
import { type VoiceEnd, type VoiceProblem, type VoiceRow, isWaiting } from './voice';
import { VoiceRepository } from './voice.repository';
import { Interval } from '@nestjs/schedule';
import { Settings } from '../../common/config';
import { LiveReplies } from '../../streams';

/** What is read back of a transcript; the whole is in the conversation. */
const READ_BACK_UNITS = 3000;
/** Of what a person may compare a transcript with. */
const KEPT_UNITS = 200_000;

export interface LockedVoice {
  readonly voice: VoiceRow;
  readonly conversation: ConversationRow;
}

/** How a voice ends: with its transcript, or before a person. Part of the caller's commit. */
@Injectable()
export class VoiceSettling {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly messages: MessageRepository,
    private readonly voices: VoiceRepository,
    private readonly buffer: BufferService,
    private readonly attention: AttentionService,
    private readonly deliveries: DeliveryService,
    private readonly clock: Clock,
  ) {}

  /** Locks the conversation; undefined when nobody waits for this voice any more. */
  async lockWaiting(tx: Tx, messageId: string): Promise<LockedVoice | undefined> {
    const known = await this.voices.find(tx, messageId);
    if (known === undefined) return undefined;
    const conversation = await this.conversations.lock(tx, known.conversationId);
    // As it is under the lock: another claim may have settled it meanwhile.
    const voice = await this.voices.find(tx, messageId);
    if (conversation === undefined || voice === undefined || !isWaiting(voice)) return undefined;
    return { voice, conversation };
  }

  /** Answers the end that it came to: who has withdrawn is not listened to any more. */
  async settle(tx: Tx, { voice, conversation }: LockedVoice, end: VoiceEnd): Promise<VoiceEnd> {
    const isOver = conversation.status === 'withdrawn';
    const actual: VoiceEnd = isOver ? { kind: 'unheard', problem: 'withdrawn' } : end;
    if (actual.kind === 'heard') await this.hear(tx, voice, conversation, actual.transcript);
    else await this.giveUp(tx, voice, conversation, actual.problem);
    return actual;
  }

  /** Something about a voice, said once; and sent to where the voice came from. */
  async tell(
    tx: Tx,
    { id: conversationId }: ConversationRow,
    { channel }: VoiceRow,
    notice: { readonly externalId: string; readonly text: string },
  ): Promise<boolean> {
    const line = await this.messages.say(tx, {
      id: newId(),
      conversationId,
      role: 'system',
      ...notice,
      now: this.clock.databaseNow(),
    });
    if (line === undefined) return false;
    if (this.deliveries.sends(channel)) {
      const message = { conversationId, turnId: null, messageId: line.id, channel };
      await this.deliveries.add(tx, { ...message, kind: 'notice', text: notice.text });
    }
    return true;
  }

  private async hear(
    tx: Tx,
    voice: VoiceRow,
    conversation: ConversationRow,
    transcript: string,
  ): Promise<void> {
    const text = cut(transcript, MAX_MESSAGE_UNITS);
    const end: VoiceEnd = { kind: 'heard', transcript: cut(transcript, KEPT_UNITS) };
    await this.buffer.settleHold(tx, { ...namesOf(voice), text });
    await this.voices.settle(tx, voice.messageId, end, this.clock.databaseNow());
    const texts = textsOf(conversation.language);
    const externalId = noticeId(voice);
    if (text.length < transcript.length) {
      // Not the read-back's id: what is written in reply to it is an addition.
      const notice = { externalId: `${externalId}:in-part`, text: texts.heardInPart };
      await this.tell(tx, conversation, voice, notice);
    } else if (this.deliveries.sends(voice.channel)) {
      // The page shows the transcript in its place, with a way to correct it.
      const [before, after] = texts.heard;
      const readBack = `${before}${shortened(text)}${after}`;
      await this.tell(tx, conversation, voice, { externalId, text: readBack });
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
    await this.buffer.dropHold(tx, { ...namesOf(voice), text: texts.unheardVoice });
    const now = this.clock.databaseNow();
    await this.voices.settle(tx, messageId, { kind: 'unheard', problem }, now);
    if (problem === 'withdrawn') return;
    const text = texts[TOLD[problem]];
    await this.tell(tx, conversation, voice, { externalId: noticeId(voice), text });
    await this.attention.raise(tx, {
      kind: 'unanalysed',
      subject: `message:${messageId}`,
      conversationId: conversation.id,
      reason: `a voice message has no transcript (${problem})`,
    });
  }
}

const TOLD = {
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

/** The beginning, without half a character at its end. */
function cut(text: string, units: number): string {
  if (text.length <= units) return text;
  return text.slice(0, units).replace(/[\ud800-\udbff]$/, '');
}

const SWEEP_MS = 5000;
const BATCH = 100;
const PREFIX = 'voice-waits:';

/**
 * Tells candidates whose voice message nobody could listen to for as long as an answer waits at
 * most: it is kept, and they may write instead. Each message once.
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
    private readonly live: LiveReplies,
    private readonly clock: Clock,
  ) {
    this.waitMs = settings.buffer.maxWaitMs;
  }

  @Interval(SWEEP_MS)
  async sweep(): Promise<void> {
    try {
      await this.tellWaiting();
    } catch {
      this.logger.warn('notices about voices could not be stored; they are tried again');
    }
  }

  /** Answers how many were told. */
  async tellWaiting(): Promise<number> {
    return this.units.run('voice.delays', async (uow) => {
      const overdue = await uow.commitOne('voice.overdue', (tx) =>
        this.voices.listOverdue(tx, {
          waitMs: this.waitMs,
          now: this.clock.databaseNow(),
          limit: BATCH,
          noticePrefix: PREFIX,
        }),
      );
      let told = 0;
      for (const { messageId, conversationId } of overdue) {
        const isTold = await uow.commit('voice.tell', async (tx) => {
          const locked = await this.settling.lockWaiting(tx, messageId);
          if (locked === undefined) return false;
          const { voice, conversation } = locked;
          const text = textsOf(conversation.language).voiceWaits;
          return this.settling.tell(tx, conversation, voice, {
            externalId: `${PREFIX}${messageId}`,
            text,
          });
        });
        if (!isTold) continue;
        told += 1;
        this.live.committed(conversationId);
      }
      return told;
    });
  }
}
