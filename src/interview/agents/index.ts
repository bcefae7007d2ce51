export { type Agent, agentFor } from './agent';
export { ConversationEventRepository, type PlacedEvent } from './conversation-events';
export { type TurnEvent, agentAfter, searchesOf, shown } from './turn-event';
