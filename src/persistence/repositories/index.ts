export { type ConversationRow, Conversations, type ConversationStatus } from './conversations';
export { type MessageRole, type MessageRow, Messages } from './messages';
