import { BotReplyRepository } from './intake/bot-reply.repository';
import { UpdateRepository } from './intake/update.repository';
import { DeadUpdates } from './intake/dead-updates';
import { UnconfirmedAnswers } from './intake/bot-replies';

/** What it takes to do an update again where no bot runs: at the command line. */
export const telegramReplays = [
  BotReplyRepository,
  UpdateRepository,
  DeadUpdates,
  UnconfirmedAnswers,
];
