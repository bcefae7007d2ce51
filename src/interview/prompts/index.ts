export {
  type InterviewPrompt,
  MAX_ANSWER_LENGTH,
  MAX_LINE_LENGTH,
  type PromptPassage,
  type PromptSearch,
  SEARCH_KNOWLEDGE,
  buildInterviewRequest,
  passagesOf,
} from './interview-request';
