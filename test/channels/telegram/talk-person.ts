import { telegramTextsOf } from '../../../src/channels/telegram/texts/texts';
import type { TelegramUser } from '../../../tools/fake-telegram';
import type { SeenChat } from '../../../tools/fake-telegram/people/seen-chat';
import type { TalkStage } from './talk-stage';

export const EN = telegramTextsOf('en');
export const RU = telegramTextsOf('ru');

/** A line of a transcript. */
interface Line {
  readonly role: string;
  readonly text: string;
  readonly channel: string;
  readonly attachment: { readonly kind: string } | null;
  readonly bufferId: string | null;
  readonly isAmendment: boolean;
}

/** Somebody who writes to the bot; each method waits until the bot has done what follows from it. */
export class Person {
  private seen = 0;

  constructor(
    private readonly stage: TalkStage,
    readonly user: TelegramUser,
  ) {}

  get id(): number {
    return this.user.user.id;
  }

  get chat(): SeenChat {
    return this.stage.telegram.chat(this.id);
  }

  /** What the bot has said since `forgetsTheChat`. */
  get heard(): readonly string[] {
    return this.chat.botTexts.slice(this.seen);
  }

  get lastHeard(): string {
    return this.heard.at(-1) ?? '';
  }

  /** What is on view so far is of no interest to the test. */
  forgetsTheChat(): void {
    this.seen = this.chat.botTexts.length;
  }

  async starts(payload = ''): Promise<void> {
    this.user.starts(payload);
    await this.stage.settle();
  }

  async writes(text: string, replyTo?: number): Promise<number> {
    const { message_id } = this.user.writes(text, replyTo === undefined ? {} : { replyTo });
    await this.stage.settle();
    return message_id;
  }

  /** Whatever a client can do. */
  async does(act: (user: TelegramUser) => unknown): Promise<void> {
    act(this.user);
    await this.stage.settle();
  }

  async presses(text: string, messageId?: number): Promise<void> {
    this.user.presses(text, messageId);
    await this.stage.settle();
  }

  agrees(): Promise<void> {
    return this.presses(this.button(EN.agreeButton, RU.agreeButton));
  }

  /** Asks for a person, and means it. */
  async asksForPerson(behind = ''): Promise<void> {
    await this.writes(`/human${behind}`);
    await this.presses(this.button(EN.humanYes, RU.humanYes));
  }

  declines(): Promise<void> {
    return this.presses(this.button(EN.declineButton, RU.declineButton));
  }

  /** The id of the bot's message with this text in it. */
  idOf(text: string): number {
    const found = this.chat.messages.findLast((one) => one.fromBot && one.text.includes(text));
    if (found === undefined) throw new Error(`the bot has not said "${text}"`);
    return found.id;
  }

  async conversationId(): Promise<string | null> {
    const [row] = await this.stage.rows<{ id: string | null }>(
      'select conversation_id as id from telegram_account where user_id = $1',
      [this.id],
    );
    return row?.id ?? null;
  }

  async conversation(): Promise<{
    status: string;
    language: string;
    channel: string;
    interviewStep: number;
    metadata: Record<string, unknown>;
  }> {
    const [row] = await this.stage.rows<Awaited<ReturnType<Person['conversation']>>>(
      `select status, language, channel, interview_step as "interviewStep", metadata
       from conversation where id = $1`,
      [await this.conversationId()],
    );
    if (row === undefined) throw new Error('this person is in no interview');
    return row;
  }

  /** The transcript, without events. */
  async lines(): Promise<Line[]> {
    return this.stage.rows<Line>(
      `select role, text, channel, attachment, buffer_id as "bufferId",
         amends is not null as "isAmendment"
       from message where conversation_id = $1 and role <> 'event' order by seq`,
      [await this.conversationId()],
    );
  }

  /** What this person is on record with. */
  async said(): Promise<string[]> {
    return (await this.lines()).filter(({ role }) => role === 'user').map(({ text }) => text);
  }

  /** The answer that is being collected. */
  async buffer(): Promise<{ dueInMs: number; count: number } | undefined> {
    const [row] = await this.stage.rows<{ dueInMs: number; count: number }>(
      `select extract(epoch from due_at - $2::timestamptz)::float8 * 1000 as "dueInMs", count
       from job where queue = 'flush' and key = $1 and state = 'open'`,
      [await this.conversationId(), this.stage.clock.now()],
    );
    return row;
  }

  private button(...texts: string[]): string {
    const shown = this.chat.messages.flatMap(({ buttons }) => buttons.flat());
    const found = texts.find((text) => shown.includes(text));
    if (found === undefined) throw new Error(`none of these buttons is shown: ${texts.join()}`);
    return found;
  }
}
