import { Injectable } from '@nestjs/common';
import type { Message, User, Voice } from 'telegraf/types';
import { BufferService, isBlank } from '../../../buffer';
import { storable } from '../../../common/text';
import { type ConversationView, Interviews, KeptLines } from '../../../interview';
import { LiveReplies } from '../../../streams';
import { TaskWorker } from '../../../tasks';
import { TelegramAccounts } from '../accounts';
import { BotIdentity } from '../bot-identity';
import { Commands } from '../dialog/commands';
import { Finding } from '../dialog/finding';
import { InterviewDoor } from '../dialog/interview-door';
import { say } from '../dialog/saying';
import type { UpdateScope } from '../intake/update-scope';
import { isDoneButton, telegramTextsOf } from '../texts';
import { attachmentOf, isService } from './attachment-of';
import { ReadBacks } from './read-backs';

const CHANNEL = 'telegram';

/** Named as the transcript names it for ever. */
interface Named {
  readonly conversationId: string;
  readonly channel: typeof CHANNEL;
  readonly externalId: string;
}

/**
 * What candidates write. Text joins the answer that is being collected; what no model can read is
 * kept for people, and its sender is told so. Nothing is kept before consent.
 */
@Injectable()
export class CandidateMessages {
  constructor(
    private readonly commands: Commands,
    private readonly finding: Finding,
    private readonly door: InterviewDoor,
    private readonly interviews: Interviews,
    private readonly kept: KeptLines,
    private readonly readBacks: ReadBacks,
    private readonly buffer: BufferService,
    private readonly accounts: TelegramAccounts,
    private readonly identity: BotIdentity,
    private readonly live: LiveReplies,
    private readonly worker: TaskWorker,
  ) {}

  async take(scope: UpdateScope, message: Message, user: User): Promise<void> {
    if (isService(message)) return;
    const text = textOf(message);
    if (text !== null && isDoneButton(text)) return this.commands.done(scope);
    const view = await this.commands.viewOf(scope);
    if (view === null) return this.finding.byText(scope, user, text ?? '');
    if (view.consent?.accepted !== true || view.status === 'new') {
      await say(scope, telegramTextsOf(view.language).consentFirst);
      return this.door.disclose(scope, view);
    }
    const named = this.nameOf(scope, view, message);
    if (view.status === 'withdrawn' || view.status === 'declined') {
      return this.keepClosed(scope, view, named, text);
    }
    if (scope.account.isPaused) await this.accounts.setPaused(scope.tx, scope.chatId, false);
    if (text !== null && (await this.correct(scope, view, message, text))) return;
    if (text !== null) return this.takeText(scope, view, named, text);
    if ('voice' in message) return this.takeVoice(scope, named, message.voice);
    return this.takeAttachment(scope, view, named, message);
  }

  /** An edit of what was never received is a message like any other. */
  async takeEdit(scope: UpdateScope, message: Message, user: User): Promise<void> {
    const view = await this.commands.viewOf(scope);
    const text = textOf(message) ?? captionOf(message);
    if (view === null || text === null || isBlank(text)) return;
    const named = this.nameOf(scope, view, message);
    if (!(await this.kept.isKnown(scope.tx, named))) return this.take(scope, message, user);
    if (view.status === 'withdrawn' || view.status === 'declined') return;
    await this.buffer.edit(scope.tx, { ...named, text: storable(text, ' ') });
    this.ringAfter(scope, view.id);
  }

  private async takeText(
    scope: UpdateScope,
    view: ConversationView,
    named: Named,
    text: string,
  ): Promise<void> {
    if (isBlank(text)) return say(scope, telegramTextsOf(view.language).blank);
    await this.interviews.receive(scope.tx, { ...named, text: storable(text, ' ') });
    this.ringAfter(scope, view.id);
  }

  /** A reply to what was heard in a voice message says what was really said. */
  private async correct(
    scope: UpdateScope,
    { id: conversationId, language }: ConversationView,
    message: Message,
    text: string,
  ): Promise<boolean> {
    if (isBlank(text) || !('reply_to_message' in message)) return false;
    const { message_id: repliedTo } = message.reply_to_message ?? { message_id: 0 };
    const messageId = await this.readBacks.voiceOf(scope.tx, conversationId, repliedTo);
    if (messageId === null) return false;
    const correction = { conversationId, messageId, text: storable(text, ' ') };
    await this.interviews.correctTranscript(scope.tx, correction);
    await say(scope, telegramTextsOf(language).corrected);
    this.ringAfter(scope, conversationId);
    return true;
  }

  /** It holds its answer open until it has been heard. */
  private async takeVoice(
    scope: UpdateScope,
    named: Named,
    { file_id: reference, mime_type: mimeType, file_size: sizeBytes, duration: durationS }: Voice,
  ): Promise<void> {
    await this.interviews.receiveVoice(scope.tx, {
      ...named,
      audio: {
        kind: 'reference',
        reference,
        mimeType: mimeType ?? 'audio/ogg',
        sizeBytes: sizeBytes ?? 0,
      },
      durationS,
    });
    scope.afterCommit(() => {
      this.worker.poke('transcribe');
    });
    this.ringAfter(scope, named.conversationId);
  }

  /** Its caption is part of the answer. Of an album, one word about all of it. */
  private async takeAttachment(
    scope: UpdateScope,
    view: ConversationView,
    named: Named,
    message: Message,
  ): Promise<void> {
    const { tx } = scope;
    const texts = telegramTextsOf(view.language);
    const attachment = attachmentOf(message);
    const caption = captionOf(message);
    const shown = texts.attachment[attachment.kind];
    const isNews = !(await this.kept.isOfKnownGroup(tx, view.id, attachment));
    if (caption === null || isBlank(caption)) {
      await this.kept.keep(tx, { ...named, text: shown, attachment });
    } else {
      const text = storable(`${shown} ${caption}`, ' ');
      const { messageId } = await this.interviews.receive(tx, { ...named, text });
      await this.kept.attach(tx, messageId, attachment);
    }
    if (isNews) await say(scope, texts.attachmentKept);
    this.ringAfter(scope, view.id);
  }

  private async keepClosed(
    scope: UpdateScope,
    view: ConversationView,
    named: Named,
    text: string | null,
  ): Promise<void> {
    const texts = telegramTextsOf(view.language);
    if (text !== null && !isBlank(text)) {
      await this.kept.keep(scope.tx, { ...named, text: storable(text, ' '), attachment: null });
    }
    await say(scope, texts.closed);
  }

  private nameOf({ chatId }: UpdateScope, { id }: ConversationView, message: Message): Named {
    const externalId = this.identity.externalIdOf(chatId, message.message_id);
    return { conversationId: id, channel: CHANNEL, externalId };
  }

  private ringAfter(scope: UpdateScope, conversationId: string): void {
    scope.afterCommit(() => {
      this.worker.poke('flush');
      this.live.committed(conversationId);
    });
  }
}

function textOf(message: Message): string | null {
  return 'text' in message ? message.text : null;
}

function captionOf(message: Message): string | null {
  return 'caption' in message ? (message.caption ?? null) : null;
}
