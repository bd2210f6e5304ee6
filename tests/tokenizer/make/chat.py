"""Chat templates in the manner of those of known models, and what Jinja makes of them as Hugging Face sets it up."""
import datetime
import json

import expressions
import jinja2
from jinja2 import nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

NOW = datetime.datetime(2026, 2, 3, 14, 5, 9)
TOKENS = {'bos_token': '<s>', 'eos_token': '</s>'}
TURNS = [{'role': 'system', 'content': 'Be "brief" & <kind>.'}, {'role': 'user', 'content': '  Hallo, Welt! 你好\n'},
         {'role': 'assistant', 'content': 'Hi.<think>\nhm\n</think>  Yes', 'tool_calls': [{'type': 'function', 'function': {'name': 'f', 'arguments': {'b': 1, 'a': [True, None, 1.5, 'é"\n']}}}]},
         {'role': 'user', 'content': [{'type': 'text', 'text': 'and'}, {'type': 'image'}]}]
TOOLS = [{'type': 'function', 'function': {'name': 'f', 'description': "it's <b>", 'parameters': {'type': 'object', 'properties': {'x': {'type': 'string'}}, 'required': []}}}]

TEMPLATES = {
    'chatml': "{% for message in messages %}{% if loop.first and message['role'] != 'system' %}{{ '<|im_start|>system\nDefault<|im_end|>\n' }}{% endif %}"
              "{{ '<|im_start|>' + message['role'] + '\n' + (message['content'] if message['content'] is string else message.content[0].text) + '<|im_end|>' + '\n' }}{% endfor %}"
              "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}",
    'headers': """{{- bos_token }}
{%- set date = strftime_now("%d %b %Y") %}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\n" }}
{{- "Today Date: " + date + "\\n\\n" }}
{{- system_message }}
{{- "<|eot_id|>" }}
{%- for message in messages %}
    {%- if not (message.role == 'ipython' or message.role == 'tool' or 'tool_calls' in message) %}
        {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' }}
        {%- if message.content is iterable and message.content is not string %}
            {%- for part in message.content %}
                {%- if part.type == 'image' %}{{ '<|image|>' }}{% elif part.type == 'text' %}{{ part['text'] }}{% endif %}
            {%- endfor %}
        {%- else %}
            {{- message.content | trim }}
        {%- endif %}
        {{- '<|eot_id|>' }}
    {%- elif 'tool_calls' in message %}
        {%- if not message.tool_calls|length == 1 %}
            {{- raise_exception("one call only") }}
        {%- endif %}
        {%- set call = message.tool_calls[0].function %}
        {{- '{"name": "' + call.name + '", ' }}
        {{- '"parameters": ' }}
        {{- call.arguments | tojson }}
        {{- "}" }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{%- endif %}
""",
    'tools': """{%- if tools %}
    {{- '# Tools\\n' }}
    {%- for tool in tools %}
        {{- "\\n" }}{{ tool | tojson }}
    {%- endfor %}
    {{- "\\n" }}{{ tools | tojson(indent=2) }}
{%- endif %}
{%- set ns = namespace(multi_step_tool=true, last=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- if ns.multi_step_tool and message.role == "user" and message.content is string and not(message.content.startswith('<x>') and message.content.endswith('</x>')) %}
        {%- set ns.multi_step_tool = false %}
        {%- set ns.last = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- if message.content is string and '</think>' in message.content %}
        {%- set content = message.content.split('</think>')[-1].lstrip('\\n') %}
        {%- set reasoning = message.content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}
        {{- '[' ~ reasoning ~ '|' ~ content.strip() ~ ']' }}
    {%- elif message.content is not string %}
        {{- message.content | map(attribute='type') | join(', ') }}
    {%- else %}
        {{- message.role | upper }}: {{ message.content | replace('a', 'A') }} {{ loop.index }}/{{ loop.length }} {{ ns.last }}
    {%- endif %}
    {%- if message.tool_calls is defined and message.tool_calls %}
        {%- for call in message['tool_calls'] %}
            {%- if call.function is defined %}{%- set call = call.function %}{%- endif %}
            {%- for key, value in call.arguments.items() %}
                {{- key }}={{ value | tojson if value is mapping or value is sequence else value | string }};
            {%- endfor %}
        {%- endfor %}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt and enable_thinking is defined and enable_thinking is false %}
    {{- '<think>\\n\\n</think>' }}
{%- endif %}
""",
    'lines': """{% macro turn(message, mark='#') %}
    {{ mark }}{{ message.role.title() }}
{% endmacro %}
{% for message in messages %}
    {% if message.role == 'system' %}{% continue %}{% endif %}
  {{ turn(message) }}
    {% generation %}{{ message.get('name', 'none') }}{{ message['missing'] }}{% endgeneration %}

    {% if loop.index > 2 %}{% break %}{% endif %}
{% else %}
none
{% endfor %}
end {{ 7 // 2 }} {{ 7 % 3 }} {{ 2 ** 3 }} {{ 1 / 2 }} {{ not true }} {{ none }} {{ [1, 'a'] }} {{ "%s-%d" | format("x", 3) }} {{ 'a' in 'abc' }} {{ (1, 2)[1] }}
""",
    'raises': "{% if messages|selectattr('role', 'equalto', 'assistant')|list|length > 0 %}{{ raise_exception('Only user turns are supported!') }}{% endif %}",
    'broken': "{% for message in messages %}{{ message.content }",
}


class Generation(Extension):
    tags = {'generation'}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(['name:endgeneration'], drop_needle=True)
        return nodes.CallBlock(self.call_method('_body'), [], [], body).set_lineno(line)

    def _body(self, caller):
        return caller()


def environment():
    made = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])

    def raise_exception(message):
        raise jinja2.exceptions.TemplateError(message)

    def to_json(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    made.filters['tojson'] = to_json
    made.globals['raise_exception'] = raise_exception
    made.globals['strftime_now'] = NOW.strftime
    return made


def members(made):
    """Rows of expressions, with one message each."""
    rows, messages, variables = [], TURNS[-1:], json.loads(json.dumps(expressions.VARIABLES))
    for name, templates in expressions.templates().items():
        for template in templates:
            row = {'name': name, 'template': template, 'messages': json.dumps(messages), 'prompt': False, 'variables': json.dumps(variables)}
            try:
                row['text'] = made.from_string(template).render(messages=messages, add_generation_prompt=False, **TOKENS, **variables)
            except Exception as error:  # Jinja's errors, and Python's.
                row['error'] = str(error)
            rows.append(row)
    return rows


def cases():
    """Every template with several messages and variables."""
    rows, made = [], environment()
    for name, template in TEMPLATES.items():
        for messages in (TURNS, TURNS[1:2], TURNS[:2]):
            for prompt in (False, True):
                for variables in ({}, {'tools': TOOLS, 'enable_thinking': False}):
                    # As text, which keeps the order of the members.
                    row = {'name': name, 'template': template, 'messages': json.dumps(messages), 'prompt': prompt, 'variables': json.dumps(variables)}
                    try:
                        row['text'] = made.from_string(template).render(messages=messages, add_generation_prompt=prompt, **TOKENS, **variables)
                    except jinja2.exceptions.TemplateError as error:
                        row['error'] = str(error)
                    rows.append(row)
    rows += members(made)
    return {'now': [NOW.year, NOW.month, NOW.day, NOW.hour, NOW.minute, NOW.second], 'tokens': TOKENS, 'cases': rows}
