/*
 * What model families and servers put into `content` around a JSON object, and how they write the call of
 * a tool there: collected in November 2026 from parsers, templates and bug reports. A commit behind `@` is
 * the version of the parser that names the marks.
 */

/** What a shape must be read as: the reply of the object, a call of the tool, or nothing (the attempt has failed). */
export interface OutputShape {
  /** Family or server, with version. */
  readonly family: string;
  /** Where the form is public: repository and issue/PR number, documentation page, model card or parser file with version. */
  readonly source: string;
  readonly output: string;
  readonly is: 'reply' | 'call' | 'nothing';
}

export const REPLY =
  '{"verdict":"vague","sources":"","asks":"no","about":"","touches":"","text":"Could you say more about your part?","labels":""}';
/** Words of reasoning: nobody but the model's operator may ever read them. */
export const SECRET = 'By the rubric this is weak';
export const QUERY = 'remote work policy';

const THOUGHTS = `Okay. ${SECRET}.`;
/** Reasoning with an object in it that is not the reply. */
const DRAFTS = `${SECRET}. Maybe {"verdict":"answered","text":"${SECRET}"}? No, I ask again.`;
const PROSE = 'Please send me the full transcript and the rubric.';
const PRETTY = JSON.stringify(JSON.parse(REPLY), null, 2);
const INPUT = `{"query": "${QUERY}"}`;
const CALL = `{"name": "search_knowledge", "arguments": ${INPUT}}`;
const FENCE = '```';
/** Stands before each tag of MiniMax M3. */
const M3 = ']<]minimax[>[';

const LLAMA_CPP = 'ggml-org/llama.cpp, tests/test-chat.cpp @ e7e2116';
const OLLAMA = 'ollama/ollama, model/parsers';
const SGLANG = 'sgl-project/sglang, python/sglang/srt/function_call';
const SGLANG_REASONING =
  'sgl-project/sglang, python/sglang/srt/parser/reasoning_parser.py @ 002e9bf';
const VLLM = 'vllm-project/vllm, vllm/tool_parsers';
const VLLM_REASONING = 'vllm-project/vllm, vllm/reasoning';

/** Outputs by `family | source`. */
type Outputs = Readonly<Record<string, string>>;

/** Reasoning and channels before the reply, then wrappers of it. */
const REPLIES: Outputs = {
  [`DeepSeek-R1-Distill, opening tag in the template | ${LLAMA_CPP}`]: `${DRAFTS}</think>\n\n${REPLY}`,
  [`QwQ-32B, opening tag in the template | ${LLAMA_CPP}`]: `\n${THOUGHTS}\n</think>\n\n${REPLY}<|im_end|>`,
  'Nemotron 3 Nano in LM Studio, opening tag in the template | logancyang/obsidian-copilot#2153': `${DRAFTS}\n</think>\n${REPLY}`,
  [`Qwen3, before 2507 | ${SGLANG_REASONING}, Qwen3Detector`]: `<think>\n${DRAFTS}\n</think>\n\n${REPLY}`,
  [`Qwen3 without thinking | ${SGLANG_REASONING}, Qwen3Detector`]: `<think>\n\n</think>\n\n${REPLY}`,
  'Models told to think in tags | open-webui/open-webui, backend/open_webui/utils/middleware.py @ cd9dae0': `<thinking>\n${DRAFTS}\n</thinking>\n${REPLY}`,
  'Models told to reason in tags | open-webui/open-webui, backend/open_webui/utils/middleware.py @ cd9dae0': `<reasoning>${DRAFTS}</reasoning>${REPLY}`,
  'Gemma 4 behind a gateway | medmcp/medmcp#79': `<thought>${DRAFTS}</thought>${REPLY}`,
  'EXAONE Deep, opening tag in the template | LG-AI-EXAONE/EXAONE-Deep, README.md @ 1c7a931': `${DRAFTS}\n</thought>\n\n${REPLY}[|endofturn|]`,
  'Magistral, Ministral 3 Reasoning 2512 | waybarrios/vllm-mlx#599': `[THINK]${DRAFTS}[/THINK]${REPLY}</s>`,
  'gpt-oss, harmony with its marks | lmstudio-ai/lmstudio-bug-tracker#843': `<|channel|>analysis<|message|>${DRAFTS}<|end|>\n\n<|start|>assistant<|channel|>final<|message|>${REPLY}`,
  'gpt-oss, harmony with a type of content | openai/harmony#56': `<|channel|>analysis<|message|>${DRAFTS}<|end|><|start|>assistant<|channel|>final json<|message|>${REPLY}<|return|>`,
  'gpt-oss, harmony with only the reasoning marked | ggml-org/llama.cpp#15181': `<|channel|>analysis<|message|>${THOUGHTS}<|end|>${REPLY}`,
  'gpt-oss, harmony without its marks | Augustas11/macprovider#743': `analysis${DRAFTS}assistantfinal${REPLY}`,
  'gpt-oss, reply in the channel of commentary | vllm-project/vllm#23167': `<|channel|>analysis<|message|>${DRAFTS}<|end|><|start|>assistant<|channel|>commentary<|message|>${REPLY}`,
  [`gpt-oss, preamble in the channel of commentary | ${LLAMA_CPP}`]: `<|channel|>commentary<|message|>${SECRET}, so I ask again.<|end|><|start|>assistant<|channel|>final<|message|>${REPLY}`,
  'Gemma 4 | odysseus-dev/odysseus#2225': `<|channel>thought\n${DRAFTS}<channel|>${REPLY}`,
  'Gemma 4, empty channel | odysseus-dev/odysseus#2225': `<|channel>thought\n<channel|>${REPLY}`,
  'Gemma 4, text before its channel | vllm-project/vllm#50978': `---\n<|channel>thought\n${DRAFTS}<channel|>${REPLY}`,
  'Gemma 4 in Rapid-MLX 0.6.65, without its marks | raullenchai/Rapid-MLX#447': `thought\n${THOUGHTS}\n\n${REPLY}`,
  'MedGemma 1.5 | ollama/ollama#15754': `<unused94>thought\n${DRAFTS}<unused95>${FENCE}json\n${REPLY}\n${FENCE}`,
  [`Command R7B | ${LLAMA_CPP}`]: `<|START_THINKING|>${DRAFTS}<|END_THINKING|><|START_RESPONSE|>${REPLY}<|END_RESPONSE|>`,
  [`Command A+ 05-2026, opening mark in the template | ${SGLANG_REASONING}, CohereCommand4Detector`]: `${DRAFTS}<|END_THINKING|><|START_TEXT|>${REPLY}<|END_TEXT|>`,
  [`Granite 3.2 | ${VLLM_REASONING}/granite_reasoning_parser.py @ cecb692`]: `Here is my thought process: ${THOUGHTS}\nHere is my response: ${REPLY}`,
  [`Granite 3.3 | ${LLAMA_CPP}`]: `<think>${DRAFTS}</think><response>${REPLY}</response>`,
  [`Seed-OSS | ${LLAMA_CPP}`]: `<seed:think>${DRAFTS}</seed:think>${REPLY}<seed:eos>`,
  [`Seed-OSS with a budget | ${LLAMA_CPP}`]: `<seed:think>${DRAFTS}</seed:think><seed:cot_budget_reflect>${SECRET}</seed:cot_budget_reflect>${REPLY}`,
  [`MiniMax M3 | ${SGLANG_REASONING}, MiniMaxM3Detector`]: `<mm:think>${DRAFTS}</mm:think>${REPLY}`,
  [`MiniMax M3 without thinking | ${SGLANG_REASONING}, MiniMaxM3Detector`]: `</mm:think>${REPLY}`,
  [`Kimi-VL Thinking | ${SGLANG_REASONING}, KimiDetector`]: `◁think▷${DRAFTS}◁/think▷${REPLY}`,
  [`Kimi K3, opening mark in the template | ${SGLANG_REASONING}, KimiK3Detector`]: `${DRAFTS}<|close|>think<|sep|><|open|>response<|sep|>${REPLY}<|close|>response<|sep|><|close|>message<|sep|>`,
  'GLM-4.5V | by analogy with GLM-4.1V and Glm46V, whose boxes mlx-vlm reports as special tokens': `<think>${DRAFTS}</think><|begin_of_box|>${REPLY}<|end_of_box|>`,
  [`Hunyuan A13B | ${VLLM_REASONING}/hunyuan_a13b_reasoning_parser.py @ 98b137c`]: `<think>\n${DRAFTS}\n</think>\n<answer>\n${REPLY}\n</answer>`,
  [`Hy3, marks with the suffix of the checkpoint | ${SGLANG}/hunyuan_detector.py @ 03fee11`]: `<think:opensource>${DRAFTS}</think:opensource>${REPLY}`,
  [`ERNIE 4.5 Thinking, opening tag in the template | ${VLLM_REASONING}/ernie45_reasoning_parser.py @ 391c158`]: `${DRAFTS}\n</think>\n\n<response>\n${REPLY}\n</response>\n`,
  [`Apertus 2509 and 1.5 | ${OLLAMA}/apertus15.go @ 15b4c6c`]: `<|inner_prefix|>${DRAFTS}<|inner_suffix|>${REPLY}<|assistant_end|>`,
  'LongCat Flash Thinking | vllm-project/vllm, vllm/reasoning/longcat_reasoning_parser.py @ 86c6857': `<longcat_think>\n${DRAFTS}\n</longcat_think>\n${REPLY}`,
  [`Inkling | ${SGLANG_REASONING}, InklingDetector`]: `<|message_model|><|content_thinking|>${DRAFTS}<|end_message|><|message_model|><|content_text|>${REPLY}<|end_message|><|content_model_end_sampling|>`,
  'OpenThinker | Jeffser/Alpaca#608': `<|begin_of_thought|>\n\n${DRAFTS}\n\n<|end_of_thought|>\n\n<|begin_of_solution|>\n\n${REPLY}\n\n<|end_of_solution|>`,
  [`HyperCLOVA X SEED Think 14B | ${VLLM_REASONING}/hyperclovax_seed_think_14b_reasoning_parser.py @ a432830`]: `/think\n${DRAFTS}<|im_end|>\n<|im_start|>assistant\n${REPLY}<|im_end|>`,
  [`K2 Horizon | ${SGLANG}/k2_v3_detector.py @ 8d9f80f`]: `<ifm|think>${DRAFTS}</ifm|think>\n${REPLY}`,
  [`PLaMo 3 | ${VLLM_REASONING}/plamo3_reasoning_parser.py @ 8c12e11`]: `<|plamo:begin_think:plamo|>${DRAFTS}<|plamo:end_think:plamo|>${REPLY}<|plamo:tag|>`,
  [`Muse Glimmer | ${VLLM}/muse_glimmer_tool_parser.py @ 9c13dbc`]: ` to=self<|message|>${DRAFTS}<|eom|><|start|>assistant to=user<|message|>${REPLY}<|eot|>`,
  'Phi-4-reasoning-plus, the closing tag as its instructions write it | LostRuins/koboldcpp#1829': `<think>${DRAFTS} <\\think>\n${REPLY}`,
  [`EXAONE 4.0, opening tag in the template | ${VLLM_REASONING}/exaone4_reasoning_parser.py @ 456b8d1`]: `${DRAFTS}\n</think>\n\n${REPLY}[|endofturn|]`,
  [`openPangu, special tokens | ${VLLM_REASONING}/pangu_reasoning_parser.py @ 4ade7b8`]: `[unused16]${DRAFTS}[unused17]${REPLY}[unused10]`,
  [`Solar Open 2, opening mark in the template | ${VLLM_REASONING}/solar_open2_reasoning_parser.py @ c6cdf91`]: `${DRAFTS}<|think:end|>${REPLY}`,
  [`TeleChat4, opening tag in the template | ${VLLM_REASONING}/telechat4_reasoning_parser.py @ 04aefed`]: `${DRAFTS}</think>${REPLY}`,
  [`MiMo, Intern-S1 | ${SGLANG_REASONING}, DetectorMap`]: `<think>\n${DRAFTS}\n</think>\n${REPLY}<|im_end|>`,
  [`Step 3, Step 3.5, opening tag in the template | ${SGLANG_REASONING}, DetectorMap`]: `\n${DRAFTS}\n</think>\n${REPLY}`,
  'Models that plan in a tag of their own | by analogy with open-webui/open-webui, middleware.py @ cd9dae0': `<plan>${DRAFTS}</plan>\n${REPLY}`,
  // Wrappers of the reply.
  'Gemma 4 in Ollama 0.20.7 | ollama/ollama#15595': `${FENCE}json\n${PRETTY}\n${FENCE}`,
  'Models without a grammar | Nayjest/Gito#244': `${SECRET}. Here is the JSON:\n\n${FENCE}json\n${REPLY}\n${FENCE}`,
  'Models without a grammar, a sentence behind | Nayjest/Gito#244': `${REPLY}\n\nI asked again because ${SECRET}.`,
  'Models without a grammar, a list of one | opensearch-project/search-relevance#90': `${FENCE}json\n[\n${PRETTY}\n]\n${FENCE}`,
  [`llama.cpp, generic format for templates without tools | ${LLAMA_CPP}`]: `{\n  "response": ${REPLY}\n}`,
  'gpt-oss on Workers AI, the schema called as a function | cloudflare/ai#574': `{"name":"interview_reply","arguments":${REPLY}}`,
  'Small models behind LiteLLM, JSON in a string | datachain-ai/datachain#1930':
    JSON.stringify(REPLY),
  'GLM-5.3 speed, raw line break in a string | matthiasn/lotti#4310': REPLY.replace(
    '"labels":""',
    '"labels":"\n"',
  ),
  'Any server, byte order mark | RFC 8259, section 8.1': `\uFEFF${REPLY}`,
  'Qwen2.5 in mlx-lm 0.19.2, end mark left behind | moltis-org/moltis#306': `${REPLY}<|im_end|>`,
  'Gemma 4 in oMLX 0.3.8, end mark left behind | jundot/omlx#1087': `${REPLY}<eos>`,
  'Llama 3 in LM Studio and Ollama, end mark left behind | logancyang/obsidian-copilot#2284': `${REPLY}<|eot_id|>`,
  'Tiny Aya in LM Studio 0.4.2, end mark left behind | lmstudio-ai/lmstudio-bug-tracker#1535': `${REPLY}<|END_RESPONSE|>`,
  [`Functionary v3.2 | ${LLAMA_CPP}`]: `all\n${REPLY}`,
};

const CALLS: Outputs = {
  [`Hermes 2 Pro, Qwen2.5, Granite 4, ERNIE 4.5 | ${LLAMA_CPP}`]: `<tool_call>\n${CALL}\n</tool_call>`,
  [`QwQ-32B, reasoning before its call | ${LLAMA_CPP}`]: `${DRAFTS}</think>\n<tool_call>${CALL}</tool_call>`,
  [`Qwen3.5, reasoning left open before its call | ${SGLANG_REASONING}, Qwen3Detector`]: `<think>\n${THOUGHTS}\n<tool_call>\n${CALL}\n</tool_call>`,
  [`Hermes 2 Pro, other tags | ${LLAMA_CPP}`]: `${FENCE}json\n<function_call> ${CALL} \n</function_call>\n${FENCE}`,
  [`Qwen3-Coder | ${OLLAMA}/qwen3coder_test.go @ 48108ca`]: `<tool_call>\n<function=search_knowledge>\n<parameter=query>\n${QUERY}\n</parameter>\n</function>\n</tool_call>`,
  'Qwen3-Coder in LM Studio 0.3.21, without its tag | musistudio/claude-code-router#416': `I look that up.\n\n<function=search_knowledge>\n<parameter=query>\n${QUERY}\n</parameter>\n</function>`,
  [`Llama 3.1, custom function | ${LLAMA_CPP}`]: `<function=search_knowledge>${INPUT}</function><|eom_id|>`,
  [`Llama 3.1, JSON | ${LLAMA_CPP}`]: `{"name": "search_knowledge", "parameters": ${INPUT}}<|eot_id|>`,
  [`Llama 3.2, python tag and JSON | ${SGLANG}/llama32_detector.py @ 1150761`]: `<|python_tag|>{"name": "search_knowledge", "parameters": ${INPUT}}`,
  [`Llama 3.1, python tag and call | ${LLAMA_CPP}`]: `<|python_tag|>search_knowledge.call(query="${QUERY}")`,
  [`Llama 4 | ${VLLM}/llama4_pythonic_tool_parser.py @ e2fc92e`]: `<|python_start|>[search_knowledge(query="${QUERY}")]<|python_end|>`,
  [`Mistral 7B v0.3 to Nemo, tokenizer before v11 | ${LLAMA_CPP}`]: `[TOOL_CALLS][{"name": "search_knowledge", "arguments": ${INPUT}, "id": "123456789"}]`,
  [`Mistral, tokenizer v11 | ${VLLM}/mistral_tool_parser.py @ decc268`]: `[TOOL_CALLS]search_knowledge${INPUT}`,
  [`Ministral 3, Devstral, tokenizer v13 | ${OLLAMA}/ministral_test.go @ bc82a55`]: `[TOOL_CALLS]search_knowledge[ARGS]${INPUT}</s>`,
  'gpt-oss, harmony | lablup/mlxcel#654': `<|channel|>analysis<|message|>${DRAFTS}<|end|><|start|>assistant<|channel|>commentary to=functions.search_knowledge <|constrain|>json<|message|>${INPUT}<|call|>`,
  [`gpt-oss, harmony with the recipient first | ${LLAMA_CPP}`]: ` to=functions.search_knowledge<|channel|>commentary <|constrain|>json<|message|>${INPUT}`,
  'gpt-oss, harmony with a glued type | ggml-org/llama.cpp#15158': `<|start|>assistant<|channel|>commentary to=functions.search_knowledgejson<|message|>${INPUT}`,
  'gpt-oss, harmony without its marks | Augustas11/macprovider#743': `analysis${DRAFTS}assistantcommentary to=functions.search_knowledge json${INPUT}`,
  [`Gemma 4 | ${SGLANG}/gemma4_detector.py @ 008b79d`]: `<|channel>thought\n${DRAFTS}<channel|><|tool_call>call:search_knowledge{query:<|"|>${QUERY}<|"|>}<tool_call|>`,
  [`FunctionGemma | ${VLLM}/functiongemma_tool_parser.py @ fe3771b`]: `<start_function_call>call:search_knowledge{query:<escape>${QUERY}<escape>}<end_function_call>`,
  'Gemma 3, as Python | ai.google.dev/gemma/docs/capabilities/function-calling': `[search_knowledge(query="${QUERY}")]`,
  'Gemma 3, as a fence of code | philschmid.de/gemma-function-calling': `${FENCE}tool_code\nprint(search_knowledge(query='${QUERY}'))\n${FENCE}`,
  [`Command R | ${OLLAMA}/commandr_test.go @ 87d8a55`]: `Action: ${FENCE}json\n[\n    {\n        "tool_name": "search_knowledge",\n        "parameters": ${INPUT}\n    }\n]\n${FENCE}`,
  [`Command A+ 05-2026 | ${SGLANG}/cohere_command4_detector.py @ 0ff0d3e`]: `${DRAFTS}<|END_THINKING|><|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "search_knowledge", "parameters": ${INPUT}}\n]<|END_ACTION|>`,
  [`Granite 3.0 to 3.3 | ${VLLM}/granite_tool_parser.py @ 400ffd7`]: `<|tool_call|>[${CALL}]`,
  [`Granite 20B | ${VLLM}/granite_20b_fc_tool_parser.py @ 443641c`]: `<function_call> ${CALL}`,
  [`Seed-OSS | ${LLAMA_CPP}`]: `<seed:think>${DRAFTS}</seed:think><seed:tool_call>\n<function=search_knowledge>\n<parameter=query>${QUERY}</parameter>\n</function>\n</seed:tool_call>`,
  [`Jamba 1.5, Hunyuan A13B | ${VLLM}/jamba_tool_parser.py @ 400ffd7, hunyuan_a13b_tool_parser.py @ fe3771b`]: `<tool_calls>[${CALL}]</tool_calls>`,
  [`MiniMax M1 | ${VLLM}/minimax_tool_parser.py @ 875ce2a`]: `<tool_calls>\n${CALL}\n</tool_calls>`,
  [`MiniMax M2 | ${SGLANG}/minimax_m2.py @ 087f500`]: `${DRAFTS}\n</think>\n\n<minimax:tool_call>\n<invoke name="search_knowledge">\n<parameter name="query">${QUERY}</parameter>\n</invoke>\n</minimax:tool_call>`,
  [`MiniMax M3 | ${SGLANG}/minimax_m3.py @ 00ca197`]: `${M3}<tool_call>\n${M3}<invoke name="search_knowledge">${M3}<query>${QUERY}${M3}</query>${M3}</invoke>\n${M3}</tool_call>`,
  [`Kimi K2 | ${SGLANG}/kimik2_detector.py @ 0351c1f`]: `<|tool_calls_section_begin|><|tool_call_begin|>functions.search_knowledge:0<|tool_call_argument_begin|>${INPUT}<|tool_call_end|><|tool_calls_section_end|>`,
  'Kimi K2, first marks lost | typeclaw/typeclaw#344': `search_knowledge:0<|tool_call_argument_begin|>${INPUT}<|tool_calls_section_end|>`,
  [`Kimi K3 | ${SGLANG}/kimik3_detector.py @ 0396a05`]: `<|open|>tools<|sep|><|open|>call tool="search_knowledge" index="1"<|sep|><|open|>argument key="query" type="string"<|sep|>${QUERY}<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>`,
  [`GLM-4.5, GLM-4.6 | ${SGLANG}/glm4_moe_detector.py @ 02911a0`]: `<tool_call>search_knowledge\n<arg_key>query</arg_key>\n<arg_value>${QUERY}</arg_value>\n</tool_call>`,
  [`GLM-4.7, GLM-5, Ling 3 | ${SGLANG}/glm47_moe_detector.py @ 0103357, ling3_detector.py @ 27dbce0`]: `<tool_call>search_knowledge<arg_key>query</arg_key><arg_value>${QUERY}</arg_value></tool_call>`,
  [`Hy4, marks with the suffix of the checkpoint | ${VLLM}/hy_v4_tool_parser.py @ f1bf7bd`]: `<tool_calls:6124c78e><tool_call:6124c78e>search_knowledge<arg_key:6124c78e>query</arg_key:6124c78e><arg_value:6124c78e>${QUERY}</arg_value:6124c78e></tool_call:6124c78e></tool_calls:6124c78e>`,
  [`DeepSeek V3, R1 | ${SGLANG}/deepseekv3_detector.py @ 0196734`]: `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>search_knowledge\n${FENCE}json\n${INPUT}\n${FENCE}<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>`,
  [`DeepSeek V3.1 | ${SGLANG}/deepseekv31_detector.py @ 09631df`]: `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>search_knowledge<｜tool▁sep｜>${INPUT}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  [`DeepSeek V3.2 | ${SGLANG}/deepseekv32_detector.py @ 03f31e6`]: `<｜DSML｜function_calls>\n<｜DSML｜invoke name="search_knowledge">\n<｜DSML｜parameter name="query" string="true">${QUERY}</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>`,
  [`DeepSeek V3.2, arguments as JSON, no DSML | ${SGLANG}/deepseekv32_detector.py @ 03f31e6`]: `<function_calls>\n<invoke name="search_knowledge">\n${INPUT}\n</invoke>\n</function_calls>`,
  'DeepSeek V4 Flash 0731 | TokenRhythm/opensquilla#985': `${DRAFTS}</think>\n\n<｜DSML｜tool_calls>\n<｜DSML｜invoke name="search_knowledge">\n<｜DSML｜parameter name="query" string="true">${QUERY}</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>`,
  'DeepSeek V4, bars doubled | lsdefine/GenericAgent#804': `<｜｜DSML｜｜invoke name="search_knowledge">\n<｜｜DSML｜｜parameter name="query" string="true">${QUERY}</｜｜DSML｜｜parameter>\n</｜｜DSML｜｜invoke>`,
  'DeepSeek V4 Flash 0731 in vLLM Ascend | vllm-project/vllm-ascend#13794': `I look that up.\n\n<｜DSML｜toolcall>search_knowledge\n\n${FENCE}json\n${INPUT}\n${FENCE}`,
  [`DeepSeek V4.1, blanks in its tags | ${SGLANG}/deepseekv41_detector.py @ 03783c1`]: `\n\n<｜DSML｜ calls>\n<｜DSML｜ invoke name="search_knowledge">\n<｜DSML｜ parameter name="query" string="true">${QUERY}</｜DSML｜ parameter>\n</｜DSML｜ invoke>\n</｜DSML｜ calls>`,
  [`GigaChat 3 | ${VLLM}/gigachat3_tool_parser.py @ f5182ff`]: `<|message_sep|>\n\nfunction call<|role_sep|>\n${CALL}</s>`,
  [`GigaChat 3.5 | ${SGLANG}/gigachat35_detector.py @ 166b30d`]: `<｜GCML｜tool_calls>\n<｜GCML｜invoke name="search_knowledge">\n<｜GCML｜parameter name="query" string="true">${QUERY}</｜GCML｜parameter>\n</｜GCML｜invoke>\n</｜GCML｜tool_calls>`,
  [`Phi-4-mini, Firefunction v2 | ${VLLM}/phi4mini_tool_parser.py @ 9dc4946`]: `functools[${CALL}]`,
  [`InternLM 2.5 | ${VLLM}/internlm2_tool_parser.py @ a448ca8`]: `<|action_start|><|plugin|>\n{"name": "search_knowledge", "parameters": ${INPUT}}<|action_end|>`,
  [`xLAM 2 | ${VLLM}/xlam_tool_parser.py @ 4a550fd`]: `[${CALL}]`,
  [`Nemotron Nano v2 | ${LLAMA_CPP}`]: `<think>${DRAFTS}</think><TOOLCALL>[${CALL}]</TOOLCALL>`,
  [`OLMo 3 | ${VLLM}/olmo3_tool_parser.py @ e2fc92e`]: `<function_calls>\nsearch_knowledge(query="${QUERY}")\n</function_calls>`,
  [`Step 3 | ${SGLANG}/step3_detector.py @ 039e447`]: `<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="search_knowledge">\n<steptml:parameter name="query">${QUERY}</steptml:parameter>\n</steptml:invoke><｜tool_call_end｜>\n<｜tool_calls_end｜>`,
  [`Apertus 2509 | ${SGLANG}/apertus2509_detector.py @ 16739a6`]: `<|inner_prefix|>${DRAFTS}<|inner_suffix|><|tools_prefix|>[{"search_knowledge": ${INPUT}}]<|tools_suffix|>`,
  [`LongCat Flash | ${SGLANG}/longcat_detector.py @ 0d4887f`]: `<longcat_tool_call>\n${CALL}\n</longcat_tool_call>`,
  [`LFM2 | ${SGLANG}/lfm2_detector.py @ 02caf64`]: `<|tool_call_start|>[search_knowledge(query="${QUERY}")]<|tool_call_end|>`,
  [`Inkling | ${SGLANG}/inkling_detector.py @ 067d5d0`]: `<|message_model|>search_knowledge<|content_invoke_tool_json|>{"name":"search_knowledge","args":${INPUT}}<|end_message|>`,
  [`Functionary v3.2 | ${LLAMA_CPP}`]: `all\nI look that up.>>>search_knowledge\n${INPUT}\n`,
  [`MiniCPM5 | ${SGLANG}/minicpm5_detector.py @ 032cfb6`]: `<function name="search_knowledge"><param name="query">${QUERY}</param></function>`,
  [`Solar Open 2 | ${VLLM}/solar_open2_tool_parser.py @ 25e2bef`]: `<|tool_call:start|>search_knowledge\n<|tool_arg:start|>query<|tool_arg:value|>${QUERY}<|tool_arg:end|>\n<|tool_call:end|>`,
  [`PLaMo 3 | ${VLLM}/plamo3_tool_parser.py @ 6e739ac`]: `<|plamo:begin_tool_requests:plamo|><|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>search_knowledge<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>${INPUT}<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|><|plamo:end_tool_requests:plamo|>`,
  [`HyperCLOVA X SEED Think 14B | ${VLLM_REASONING}/hyperclovax_seed_think_14b_reasoning_parser.py @ a432830`]: `/think\n${DRAFTS}<|im_end|>\n<|im_start|>assistant -> tool/function_call\n[${CALL}]<|im_end|><|stop|>`,
  [`K2 Horizon | ${SGLANG}/k2_v3_detector.py @ 8d9f80f`]: `<ifm|tool_calls>\n<ifm|tool_call>${CALL}</ifm|tool_call>\n</ifm|tool_calls>`,
  [`Muse Glimmer | ${VLLM}/muse_glimmer_tool_parser.py @ 9c13dbc`]: `<|start|>assistant to=search_knowledge.search_knowledge<|message|><atem:function_calls>\n<atem:invoke name="search_knowledge.search_knowledge">\n<atem:parameter name="query">${QUERY}</atem:parameter>\n</atem:invoke>\n</atem:function_calls><|eom|>`,
  [`llama.cpp, generic format for templates without tools | ${LLAMA_CPP}`]: `{\n  "tool_calls": [\n    {"name": "search_knowledge", "arguments": ${INPUT}, "id": "123456789"}\n  ]\n}`,
};

/** Prose, reasoning alone, drafts, objects without a verdict, calls within reasoning or of other tools. */
const NOTHING: Outputs = {
  'A draft in a sentence, no reply | by analogy with Nayjest/Gito#244': DRAFTS,
  'A draft in a tag without a reply | by analogy with open-webui/open-webui, middleware.py @ cd9dae0': `<plan>\n${DRAFTS}\n</plan>`,
  'A draft in an object that breaks off | by analogy with Nayjest/Gito#244': `{"draft": {"verdict":"answered","text":"${SECRET}"}, "verdict": "vag`,
  [`Solar Open 2, reasoning cut off | ${VLLM_REASONING}/solar_open2_reasoning_parser.py @ c6cdf91`]: `${DRAFTS} Then again, the`,
  // A grammar leaves no place for them but the text.
  'Reasoning at the beginning of the text | by analogy with ollama/ollama#8063': `{"verdict":"vague","sources":"","text":"<think>${SECRET}</think>Say more?"}`,
  'The word of Gemma 4 at the beginning of the text | by analogy with raullenchai/Rapid-MLX#447': `{"verdict":"vague","sources":"","text":"thought\\n${SECRET}\\n\\nSay more?"}`,
  'The object in its own text | by analogy with datachain-ai/datachain#1930': `{"verdict":"vague","sources":"","text":${JSON.stringify(REPLY)}}`,
  'A call in the text | by analogy with ollama/ollama#8063': `{"verdict":"vague","sources":"","text":${JSON.stringify(`<tool_call>${CALL}</tool_call>`)}}`,
  'llama-server b9272, the format ignored | ggml-org/llama.cpp#24096': PROSE,
  [`QwQ-32B, prose behind reasoning without its opening tag | ${LLAMA_CPP}`]: `${THOUGHTS}\n</think>\n\n${PROSE}`,
  [`Qwen3, prose behind reasoning with a draft | ${SGLANG_REASONING}, Qwen3Detector`]: `<think>\n${DRAFTS}\n</think>\n\n${PROSE}`,
  [`DeepSeek-R1, reasoning without an end | ${SGLANG_REASONING}, DeepSeekR1Detector`]: `<think>\n${DRAFTS} Then again, the`,
  [`Hunyuan A13B, a call within reasoning | ${VLLM}/hunyuan_a13b_tool_parser.py @ fe3771b`]: `<think>\n${SECRET}: <tool_calls>[${CALL}]</tool_calls>? No.\n</think>\n<answer>\n${PROSE}\n</answer>`,
  [`gpt-oss, only analysis | ${LLAMA_CPP}`]: `<|channel|>analysis<|message|>${DRAFTS}<|end|>`,
  'gpt-oss, only a preamble | vllm-project/vllm#23167': `<|channel|>commentary<|message|>${SECRET}, so I look at the documents.<|end|>`,
  'gpt-oss without its marks, prose in the last channel | Augustas11/macprovider#743': `analysis${DRAFTS}assistantfinal${PROSE}`,
  'Gemma 4, prose behind its channel | odysseus-dev/odysseus#2225': `<|channel>thought\n${DRAFTS}<channel|>${PROSE}`,
  'Gemini 3 Flash, planning without a mark | NousResearch/hermes-agent#102996': `${SECRET}. Now I can write to the candidate.\n\n${PROSE}`,
  [`Muse Glimmer, a call within reasoning | ${VLLM}/muse_glimmer_tool_parser.py @ 9c13dbc`]: ` to=self<|message|>${SECRET} <atem:invoke name="search_knowledge"><atem:parameter name="query">${QUERY}</atem:parameter></atem:invoke><|eom|><|start|>assistant to=user<|message|>${PROSE}<|eot|>`,
  'Gemma 4 in Ollama 0.30.5, an object without a verdict | ollama/ollama#8063': `{"text":"${SECRET}. ${PROSE}"}`,
  'Gemma 4 in Ollama 0.30.5, an unknown verdict | ollama/ollama#8063': `{"verdict":"brilliant","text":"${SECRET}. ${PROSE}"}`,
  'Small models, an empty object | Gitlawb/openclaude#1261': '{}',
  'Models without a grammar, an empty list | Nayjest/Gito#244': `${SECRET}.\n\n${FENCE}json\n[]\n${FENCE}`,
  'Nemotron 3 Super, a tool that was not offered | OpenHands/software-agent-sdk#2553': `<tool_call>\n{"name": "read_transcript", "arguments": {"reason": "${SECRET}"}}\n</tool_call>`,
  'DeepSeek V4 with tool_choice: none, a tool that was not offered | sgl-project/sglang#35736':
    '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="Bash">\n<｜DSML｜parameter name="command" string="true">pwd</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
  [`Command R, its own tool for an answer | ${OLLAMA}/commandr_test.go @ 87d8a55`]: `Action: ${FENCE}json\n[\n    {\n        "tool_name": "directly-answer",\n        "parameters": {}\n    }\n]\n${FENCE}`,
};

export const OUTPUT_SHAPES: readonly OutputShape[] = [
  ...shapesOf(REPLIES, 'reply'),
  ...shapesOf(CALLS, 'call'),
  ...shapesOf(NOTHING, 'nothing'),
];

function shapesOf(outputs: Outputs, is: OutputShape['is']): OutputShape[] {
  return Object.entries(outputs).map(([key, output]) => {
    const [family = '', source = ''] = key.split(' | ');
    return { family, source, output, is };
  });
}
