export { ReplyGeneration } from './reply-generation';
export { RunningReplies } from './running-replies';
export { TroubleNotices } from './trouble-notices';
export { TurnClosing } from './turn-closing';
export { TurnEnding } from './turn-ending';
export { TurnFlow } from './turn-flow';
export { TurnOpening } from './turn-opening';
export { TurnReplay } from './turn-replay';
export { type TurnRow, TurnTable } from './turn-table';
