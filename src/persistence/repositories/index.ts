export { type ConversationRow, Conversations, type ConversationStatus } from './conversations';
export { type MessageRow, Messages } from './messages';
