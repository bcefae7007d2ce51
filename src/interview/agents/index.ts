export { type Agent, agentFor } from './agent';
export { ConversationEvents, type PlacedEvent } from './conversation-events';
export { type TurnEvent, agentAfter, searchesOf, shown } from './turn-event';
