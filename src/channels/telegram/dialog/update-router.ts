import { UpdateScopes } from '../intake/update-scopes';
import { Command, Ctx, Help, On, Start, Update } from 'nestjs-telegraf';
import { Context } from 'telegraf';
import type { CallbackQuery, ChatMemberUpdated, Message, User } from 'telegraf/types';
import { Commands, PersonalDataDialog } from './commands';
import { ButtonHandler } from './button-handler';
import { CandidateMessages } from '../messages/candidate-messages';
import { commandIn } from '../messages/message-text';
import { BlockHandler } from './block-handler';

/**
 * Routes a person's update to the first method that matches, in this order. Each runs inside the commit
 * that marks the update as handled, and makes no remote call. UpdateIntake and IntakeWorker handle
 * errors.
 */
@Update()
export class UpdateRouter {
  constructor(
    private readonly scopes: UpdateScopes,
    private readonly commands: Commands,
    private readonly buttons: ButtonHandler,
    private readonly messages: CandidateMessages,
    private readonly blocks: BlockHandler,
    private readonly personalData: PersonalDataDialog,
  ) {}

  @On('my_chat_member')
  async member(@Ctx() context: Context): Promise<void> {
    const { my_chat_member: change } = context.update as { my_chat_member: ChatMemberUpdated };
    const scope = this.scopes.of(context);
    if (change.new_chat_member.status === 'kicked') await this.blocks.blocked(scope);
    else await this.blocks.unblocked(scope);
  }

  @On('callback_query')
  async press(@Ctx() context: Context): Promise<void> {
    const { callback_query: press } = context.update as { callback_query: CallbackQuery };
    await this.buttons.take(this.scopes.of(context), press);
  }

  @Start()
  async start(@Ctx() context: Context): Promise<void> {
    const { payload = '' } = commandIn(messageOf(context)) ?? {};
    await this.commands.start(this.scopes.of(context), personOf(context), payload);
    await this.takeBehind(context);
  }

  @Help()
  async help(@Ctx() context: Context): Promise<void> {
    await this.commands.help(this.scopes.of(context));
    await this.takeBehind(context);
  }

  @Command('status')
  async status(@Ctx() context: Context): Promise<void> {
    await this.commands.status(this.scopes.of(context));
    await this.takeBehind(context);
  }

  /** The text after the command is stored first, because an answer would end the pause. */
  @Command('pause')
  async pause(@Ctx() context: Context): Promise<void> {
    await this.takeBehind(context);
    await this.commands.pause(this.scopes.of(context));
  }

  @Command('resume')
  async resume(@Ctx() context: Context): Promise<void> {
    await this.commands.resume(this.scopes.of(context));
    await this.takeBehind(context);
  }

  @Command('human')
  async human(@Ctx() context: Context): Promise<void> {
    await this.commands.human(this.scopes.of(context));
    await this.takeBehind(context);
  }

  /** The text after the command belongs to the answer that the command ends. */
  @Command('done')
  async done(@Ctx() context: Context): Promise<void> {
    await this.takeBehind(context);
    await this.commands.done(this.scopes.of(context));
  }

  /** The text after the command belongs to the answer that the command ends. */
  @Command('skip')
  async skip(@Ctx() context: Context): Promise<void> {
    await this.takeBehind(context);
    await this.messages.takeSkip(this.scopes.of(context), messageOf(context));
  }

  @Command('web')
  async web(@Ctx() context: Context): Promise<void> {
    await this.commands.web(this.scopes.of(context));
    await this.takeBehind(context);
  }

  @Command('language')
  async language(@Ctx() context: Context): Promise<void> {
    await this.commands.language(this.scopes.of(context));
    await this.takeBehind(context);
  }

  @Command('mydata')
  async myData(@Ctx() context: Context): Promise<void> {
    const scope = this.scopes.of(context);
    const view = await this.commands.viewOf(scope);
    if (view === null) await this.commands.status(scope);
    else await this.personalData.askToSend(scope, view);
    await this.takeBehind(context);
  }

  @Command('forget')
  async forget(@Ctx() context: Context): Promise<void> {
    const scope = this.scopes.of(context);
    await this.personalData.askToForget(scope, await this.commands.viewOf(scope));
    await this.takeBehind(context);
  }

  @On('edited_message')
  async edited(@Ctx() context: Context): Promise<void> {
    const { edited_message: message } = context.update as { edited_message: Message };
    await this.messages.takeEdit(this.scopes.of(context), message, personOf(context));
  }

  /** Every other message. */
  @On('message')
  async message(@Ctx() context: Context): Promise<void> {
    await this.messages.take(this.scopes.of(context), messageOf(context), personOf(context));
  }

  /** Text after a command is stored too. */
  private async takeBehind(context: Context): Promise<void> {
    await this.messages.takeBehindCommand(this.scopes.of(context), messageOf(context));
  }
}

function messageOf(context: Context): Message {
  return (context.update as { message: Message }).message;
}

/** Messages of private chats have a sender, and the intake passes on no others. */
function personOf({ from }: Context): User {
  if (from === undefined) throw new Error('a private message without a sender');
  return from;
}
