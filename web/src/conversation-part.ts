/** What follows the first view, loaded as one file of its own. */
export { renderConversation } from './components/conversation';
export { ConversationSession } from './state/session';
