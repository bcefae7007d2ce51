export {
  type InterviewPrompt,
  type TranscriptLine,
  buildInterviewRequest,
} from './interview-request';
