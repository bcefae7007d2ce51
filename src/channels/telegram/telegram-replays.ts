import { ChatAnswers } from './intake/chat-answers';
import { Inbox } from './intake/inbox';
import { Poison } from './intake/poison';
import { UnconfirmedAnswers } from './intake/unconfirmed-answers';

/** What it takes to do an update again where no bot runs: at the command line. */
export const telegramReplays = [ChatAnswers, Inbox, Poison, UnconfirmedAnswers];
