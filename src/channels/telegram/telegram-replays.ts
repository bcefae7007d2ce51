import { BotReplyRepository } from './intake/chat-answers';
import { UpdateRepository } from './intake/inbox';
import { DeadUpdates } from './intake/poison';
import { UnconfirmedAnswers } from './intake/unconfirmed-answers';

/** What it takes to do an update again where no bot runs: at the command line. */
export const telegramReplays = [
  BotReplyRepository,
  UpdateRepository,
  DeadUpdates,
  UnconfirmedAnswers,
];
