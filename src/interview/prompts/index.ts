export {
  type InterviewPrompt,
  type PromptPassage,
  type PromptSearch,
  SEARCH_KNOWLEDGE,
  buildInterviewRequest,
  passagesOf,
} from './interview-request';
