export type { TurnEvent } from './agents';
export { Answers } from './answers';
export { ConversationLooks } from './conversation-looks';
export type { ConversationMoment } from './conversation-moment';
export { type ConversationView, ConversationViews } from './conversation-view';
export { InterviewModule } from './interview.module';
export { Interviews } from './interviews';
export { ConversationMetadataStore } from './metadata';
export { TurnReplay } from './turn';
