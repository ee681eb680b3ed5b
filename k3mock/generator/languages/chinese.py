"""Turns Simplified Chinese into data for the generator; source layer."""

from __future__ import annotations

import re

from k3mock.generator.language import Language
from k3mock.generator.languages.chinese_phrases import EXACT, HAIKU, PHRASES
from k3mock.generator.phrases import vocabulary

_NUMBERS = {
    "一": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9,
    "十": 10, "几": 3, "二十": 20, "五十": 50, "一百": 100,
}  # fmt: skip

_COUNT = r"(?P<count>\d{1,6}|二十|五十|一百|[一两二三四五六七八九十几])"

_BREAKS = re.compile(
    r"请问|推荐|请你|请用|请|帮我|帮忙|给我|告诉我|我想要|我想|我要|我们|你们|他们|我|你|您|他|她|它|"
    r"什么样|什么|怎么样|怎么|怎样|如何|为什么|哪些|哪里|哪个|哪|多少|几个|是否|有没有|能否|能不能|"
    r"可以|可不可以|一下|一个|一些|一段|一篇|一份|一首|一句|这个|那个|这些|那些|这|那|关于|介绍|"
    r"解释|说明|描述|写出|写|列出|列举|总结|回答|回复|查询|查一查|查|看看|今天|明天|昨天|现在|"
    r"的时候|因为|所以|但是|如果|而且|以及|或者|还是|就是|不是|没有|需要|应该|使用|通过|进行|"
    r"的|了|是|在|吗|呢|吧|啊|和|与|跟|及|或|把|被|对|从|到|向|给|让|用|有|会|能|要|想|做|很|都|也|就|"
    r"还|又|再|不|最|更|为|以|于|之|其|中|里|上|下|来|去|个|条|点|句|字|只|仅|每|各"
)

_STOP = vocabulary(
    "the and for with you are what how please json a an of to in is 谢谢 你好 您好 问题 内容 时候 "
    "东西 事情 方面 简单 简短 详细 详情 要点 例子 词语 单词 句话 段话 中文 英文 部分"
)

_PLACES = (
    "北京", "上海", "广州", "深圳", "杭州", "成都", "重庆", "武汉", "南京", "西安", "苏州", "天津",
    "长沙", "青岛", "厦门", "大连", "昆明", "哈尔滨", "沈阳", "郑州", "济南", "合肥", "福州",
    "宁波", "无锡", "东莞", "佛山", "贵阳", "南宁", "海口", "三亚", "拉萨", "兰州", "太原", "长春",
    "南昌", "石家庄", "乌鲁木齐", "香港", "澳门", "台北", "桂林",
)  # fmt: skip

_ASKS = {
    "literal": (
        re.compile(
            r"(?:回复|回答|说|输出|重复|返回)(?:[一两]个[词字]|这[个句][词话]|一句话|以下内容)?"
            r"(?:就行|即可)?[:：]?\s*[“\"「‘'](?P<literal>[^”\"」’'\n]{1,200})[”\"」’']"
        ),
        re.compile(
            r"(?:回复|回答|说|输出|重复|返回)[^。\n:：]{0,10}[:：]\s*(?P<literal>[^\n]{1,100}?)[。！]?\s*$"
        ),
        re.compile(
            r"(?:只|仅|直接)(?:需|要|用|能)*(?:回复|回答|说|输出)\s*(?![一两三]|用|一)(?P<literal>[^，。！？\n]{1,12})[。！]?\s*$"
        ),
        re.compile(
            r"^\s*请?你?(?:跟我)?说(?!明|说|一|出|到|起|法|什么|服)\s*(?P<literal>[^，。！？\n]{1,12})[。！]?\s*$"
        ),
    ),
    "greeting": (
        re.compile(
            r"^\s*(?:你好|您好|嗨|哈喽|早上好|下午好|晚上好|大家好|在吗)[呀啊吗]?\s*[。！!？?~，,]*\s*$"
        ),
    ),
    "json": (
        re.compile(
            r"(?:用|以|按|返回|输出|只要|个)\s*JSON|JSON\s*(?:格式|对象|数据)", re.IGNORECASE
        ),
    ),
    "code": (
        re.compile(
            r"(?:写|实现|编写|生成|给|用|提供)[^。\n]{0,30}?(?:函数|代码|脚本|程序|类|算法|正则|查询语句)"
        ),
    ),
    "list": (
        re.compile(
            rf"{_COUNT}\s*(?:条|个|点|项|种|款|步|座|家|位|本|部)(?!字|词|句|段)[^，。\n]{{0,8}}?"
            r"(?P<noun>要点|建议|理由|原因|例子|步骤|方法|技巧|优点|缺点|特点|城市|名字|公司|问题|想法|方案|"
            r"事实|提示|国家|习惯|好处|区别|注意事项|标题|水果|动物|颜色|关键词|景点|电影|书|人名)"
        ),
        re.compile(r"(?P<noun>列出|列举|要点|清单|列表|分点)"),
    ),
    "words": (
        re.compile(
            rf"(?:用|以|在|恰好|正好|只|限|约|写|(?P<under>不超过|最多|少于))?\s*{_COUNT}\s*个?[字词](?!母|典|段|符)"
        ),
    ),
    "table": (re.compile(r"表格|列表格|做[一个张]*表"),),
    "numbered": (re.compile(r"编号|步骤|分步|一步一步"),),
    "haiku": (re.compile(r"俳句"),),
    "poem": (re.compile(r"(?:首|写|作)[^。\n]{0,8}诗"),),
    "story": (re.compile(r"(?:讲|写|编)[^。\n]{0,10}(?:故事|童话)"),),
    "joke": (re.compile(r"笑话|段子"),),
    "mail": (re.compile(r"(?:写|起草|拟)[^。\n]{0,10}(?:邮件|信件|[一这]封信)"),),
    "compare": (re.compile(r"比较|对比|区别|差别|不同之处"),),
    "why": (re.compile(r"为什么|为何|原因"),),
    "how": (re.compile(r"怎么|如何|怎样|办法"),),
    "sentences": (re.compile(rf"{_COUNT}\s*(?:句话|句|个句子)"),),
    "paragraphs": (re.compile(rf"{_COUNT}\s*(?:段话|段|个段落)"),),
    "keys": (
        re.compile(
            r"(?:键名?|字段|属性|[kK]eys?)(?:名|为|是|有|包括|包含|分别)*[:：]?\s*"
            r"((?:[“\"「`']?[A-Za-z_][A-Za-z0-9_-]{0,40}[”\"」`']?(?:\s*[（(][^)）\n]{0,30}[)）])?"
            r"(?:\s*[,，、和与/]\s*|\s*以及\s*|\s+and\s+|(?![A-Za-z0-9_]))){1,12})"
        ),
        re.compile(
            r"(?:包含|含有|包括|带有|有)\s*((?:[“\"「`']?[A-Za-z_][A-Za-z0-9_-]{0,40}[”\"」`']?"
            r"(?:\s*[,，、和与/]\s*|\s*以及\s*|(?![A-Za-z0-9_]))){1,12})\s*(?:这?[一两三四五六\d]?个?)"
            r"(?:键|字段|属性|的?\s?(?:对象|JSON))"
        ),
    ),
}

_CAPITALS = {
    "法国": "巴黎", "德国": "柏林", "意大利": "罗马", "西班牙": "马德里", "日本": "东京",
    "中国": "北京", "土耳其": "安卡拉", "加拿大": "渥太华", "澳大利亚": "堪培拉",
    "巴西": "巴西利亚",
    "印度": "新德里", "埃及": "开罗", "俄罗斯": "莫斯科", "英国": "伦敦", "美国": "华盛顿",
    "韩国": "首尔", "泰国": "曼谷", "越南": "河内", "墨西哥": "墨西哥城", "瑞士": "伯尔尼",
}  # fmt: skip

CHINESE = Language(
    code="zh",
    locale="zh_CN",
    script=re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]"),
    weight=0.8,
    marks=frozenset(
        "这为个们来时说对会过还没发经现点样头从问见关让开给应该长间实将两体话认动觉马书里电车语学习东国写请吗"
        "么谢谁边远进运选难题风飞饭馆鱼鸟门后气汉义乐买卖单双变听员号图园场块处备复够"
    ),
    word=re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]{2,80}|[A-Za-z][\w-]{1,60}"),
    gap="",
    comma="、",
    last="和",
    ends="。！？.!?",
    stop=_STOP,
    phrases=PHRASES,
    exact=EXACT,
    haiku=HAIKU,
    asks=_ASKS,
    numbers=_NUMBERS,
    facts={
        "capital": _CAPITALS,
        "word": {
            "fact": "{of}的首都是{it}。",
            "sum": "{of} = {it}。",
            "form_json": "一个 JSON 对象",
            "form_code": "代码",
            "form_list": "一个列表",
            "form_words": "指定字数的回答",
            "form_literal": "一段固定的文字",
            "form_sentences": "指定句数的回答",
            "form_paragraphs": "几个段落",
            "form_sum": "计算的结果",
            "form_table": "一个表格",
            "form_haiku": "一首俳句",
            "form_poem": "一首诗",
            "form_story": "一个小故事",
            "form_joke": "一个笑话",
            "form_mail": "一封邮件",
            "image": "一张图片", "images": "{n} 张图片",
            "video": "一段视频", "videos": "{n} 段视频",
            "sized": "{what}（{sizes}）", "pixels": "{size} 像素", "the": "工具",
            "is": "{key} 是 {value}",
            "one": "是", "no_values": "不需要参数",
            "topic": "耐心",
            "aspect": "方面", "country": "国家", "capital_of": "首都", "note": "评价",
        },
    },
    aspects=(
        ("投入", ("较少", "适中", "较多")),
        ("成本", ("低", "合理", "高")),
        ("上手难度", ("容易", "一般", "较难")),
        ("灵活性", ("有限", "不错", "很好")),
        ("维护", ("简单", "需要定期进行", "费时")),
        ("适合", ("入门", "日常使用", "大型计划")),
        ("风险", ("小", "可控", "较明显")),
    ),
    place=re.compile(r"(?:在|去|到|从)([\u4e00-\u9fff]{2,4}?)(?:市|省|县|区|的|玩|旅游|出发|天气|，|。|$)"),
    breaks=_BREAKS,
    places=_PLACES,
    items={
        "水果": "fruit", "动物": "animal", "颜色": "colour",
        "名字": "person", "人名": "person", "城市": "city",
           "公司": "company", "国家": "country"},
    things={
        "fruit": (
            "苹果", "香蕉", "橙子", "葡萄", "桃子", "梨", "芒果", "草莓", "西瓜", "樱桃",
        ),
        "animal": (
            "狐狸", "熊猫", "海豚", "猫头鹰", "马", "兔子", "乌龟", "老虎", "大象", "鹿",
        ),
        "colour": (
            "蓝色", "绿色", "红色", "黄色", "橙色", "紫色", "棕色", "灰色", "粉色", "白色",
        ),
    },
    glosses={
        "天气": "weather", "气温": "weather", "下雨": "weather", "温度": "weather",
        "搜索": "search",
        "查找": "search", "搜": "search", "计算": "calculate", "等于": "calculate", "邮件": "email",
        "时间": "time", "几点": "time", "股票": "stock", "股价": "stock", "翻译": "translate",
        "文件": "file", "日程": "event", "会议": "event", "订单": "order", "航班": "flight",
        "机票": "flight", "酒店": "hotel", "新闻": "news", "地图": "map", "汇率": "exchange",
        "提醒": "reminder", "发送": "send", "读取": "read", "创建": "create", "删除": "delete",
        "数据库": "database", "图片": "image", "音乐": "music", "餐厅": "restaurant",
        "价格": "price",
    },
)  # fmt: skip
