export { allowedVerdicts, decide } from './decide';
export {
  type ConversationStatus,
  type Decision,
  type TurnContext,
  completeReply,
  opening,
} from './decision';
export { ScriptedInterviewer } from './scripted-interviewer';
export {
  type InterviewState,
  type Outcome,
  endState,
  initialState,
  progress,
  readState,
  resumedState,
  waitingQuestion,
} from './state';
export { VERDICTS, type Verdict, isVerdict } from './verdict';
export { decideWithoutModel, isInterviewerWanted } from './without-model';
