import { Command, Ctx, Help, On, Start, Update } from 'nestjs-telegraf';
import type { Context } from 'telegraf';
import type { CallbackQuery, ChatMemberUpdated, Message, User } from 'telegraf/types';
import { Commands } from './dialog/commands';
import { Membership } from './dialog/membership';
import { PersonalDataDialog } from './dialog/personal-data-dialog';
import { Presses } from './dialog/presses';
import { UpdateScopes } from './intake/update-scope';
import { CandidateMessages } from './messages/candidate-messages';

/**
 * What a person's update leads to. The first method that fits has it, in this order; each runs
 * inside the commit that stores the update and calls nobody. An error is the intake's to deal with.
 */
@Update()
export class CandidateUpdates {
  constructor(
    private readonly scopes: UpdateScopes,
    private readonly commands: Commands,
    private readonly presses: Presses,
    private readonly messages: CandidateMessages,
    private readonly membership: Membership,
    private readonly personalData: PersonalDataDialog,
  ) {}

  @On('my_chat_member')
  async member(@Ctx() context: Context): Promise<void> {
    const { my_chat_member: change } = context.update as { my_chat_member: ChatMemberUpdated };
    const scope = this.scopes.of(context);
    if (change.new_chat_member.status === 'kicked') await this.membership.blocked(scope);
    else await this.membership.unblocked(scope);
  }

  @On('callback_query')
  async press(@Ctx() context: Context): Promise<void> {
    const { callback_query: press } = context.update as { callback_query: CallbackQuery };
    await this.presses.take(this.scopes.of(context), press);
  }

  @Start()
  async start(@Ctx() context: Context): Promise<void> {
    const payload = textOf(context).split(/\s+/, 2)[1] ?? '';
    await this.commands.start(this.scopes.of(context), personOf(context), payload);
  }

  @Help()
  async help(@Ctx() context: Context): Promise<void> {
    await this.commands.help(this.scopes.of(context));
  }

  @Command('status')
  async status(@Ctx() context: Context): Promise<void> {
    await this.commands.status(this.scopes.of(context));
  }

  @Command('pause')
  async pause(@Ctx() context: Context): Promise<void> {
    await this.commands.pause(this.scopes.of(context));
  }

  @Command('resume')
  async resume(@Ctx() context: Context): Promise<void> {
    await this.commands.resume(this.scopes.of(context));
  }

  @Command('human')
  async human(@Ctx() context: Context): Promise<void> {
    await this.commands.human(this.scopes.of(context), personOf(context));
  }

  @Command('done')
  async done(@Ctx() context: Context): Promise<void> {
    await this.commands.done(this.scopes.of(context));
  }

  @Command('web')
  async web(@Ctx() context: Context): Promise<void> {
    await this.commands.web(this.scopes.of(context));
  }

  @Command('language')
  async language(@Ctx() context: Context): Promise<void> {
    await this.commands.language(this.scopes.of(context));
  }

  @Command('mydata')
  async myData(@Ctx() context: Context): Promise<void> {
    const scope = this.scopes.of(context);
    const view = await this.commands.viewOf(scope);
    if (view === null) await this.commands.status(scope);
    else await this.personalData.askToSend(scope, view);
  }

  @Command('forget')
  async forget(@Ctx() context: Context): Promise<void> {
    const scope = this.scopes.of(context);
    await this.personalData.askToForget(scope, await this.commands.viewOf(scope));
  }

  @On('edited_message')
  async edited(@Ctx() context: Context): Promise<void> {
    const { edited_message: message } = context.update as { edited_message: Message };
    await this.messages.takeEdit(this.scopes.of(context), message, personOf(context));
  }

  /** Whatever is left. */
  @On('message')
  async message(@Ctx() context: Context): Promise<void> {
    const { message } = context.update as { message: Message };
    await this.messages.take(this.scopes.of(context), message, personOf(context));
  }
}

function textOf(context: Context): string {
  const { message } = context.update as { message: Message };
  return 'text' in message ? message.text : '';
}

/** Messages of a private chat have a sender: the intake has let no others in. */
function personOf({ from }: Context): User {
  if (from === undefined) throw new Error('a private message without a sender');
  return from;
}
